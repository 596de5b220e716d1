import type { Place } from '#zipper-image/byte-sink.ts';

/** A place that nobody waits for. Default: at the end of its part, which is the first. */
export function aPlace(
  bytes: Buffer,
  { part = 1, rest = 0 }: Partial<Pick<Place, 'part' | 'rest'>> = {},
): Place {
  return { bytes, part, rest, filled: () => undefined, keep: () => () => undefined };
}

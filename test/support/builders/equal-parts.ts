import type { PartWriterOptions } from '#zipper-image/store/part-writer.ts';

/** Parts of this size, each in one block, and memory for so many of them. */
export function equalParts(
  bytes: number,
  inMemory: number,
): Pick<PartWriterOptions, 'partBytes' | 'blockBytes' | 'poolBytes'> {
  return { partBytes: () => bytes, blockBytes: bytes, poolBytes: inMemory * bytes };
}

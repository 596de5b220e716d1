import { countText } from '#administration/jobs/count-text.ts';
import { DURATION_PARTS, durationText } from '#administration/jobs/duration-text.ts';
import { sizeText } from '#administration/projects/size-text.ts';

const NUMBER = new Intl.NumberFormat('en');

/** `3 min ago`, `in 2 h`: the largest part only. */
function relative(rfc3339: string, now: Date): string {
  const ms = now.getTime() - Date.parse(rfc3339);
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 1) return 'now';
  const [unit, size] = DURATION_PARTS.find(([, one]) => seconds >= one) ?? (['s', 1] as const);
  const text = `${NUMBER.format(Math.floor(seconds / size))} ${unit}`;
  return ms > 0 ? `${text} ago` : `in ${text}`;
}

/** Formats of numbers, sizes, times and paths on every page. */
export const FORMAT = {
  bytes: sizeText,
  duration: durationText,
  relative,
  number: (value: number): string => NUMBER.format(value),
  /** `2026-01-02 03:04:05 UTC` of an RFC 3339 time. */
  time: (rfc3339: string): string => `${rfc3339.slice(0, 10)} ${rfc3339.slice(11, 19)} UTC`,
  /** A local path of these parts, each encoded. */
  path: (...parts: readonly string[]): string => `/${parts.map(encodeURIComponent).join('/')}`,
  count: countText,
} as const;

import { sizeText } from '#administration/projects/size-text.ts';

const NUMBER = new Intl.NumberFormat('en');

const PARTS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** The two largest parts: `3 d 4 h`, `12 s`. */
function duration(ms: number): string {
  let left = Math.max(0, Math.floor(ms / 1000));
  const parts = PARTS.map(([unit, seconds]) => {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    return { unit, count };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ unit, count }) => `${count} ${unit}`)
    .join(' ');
}

/** `3 min ago`, `in 2 h`: the largest part only. */
function relative(rfc3339: string, now: Date): string {
  const ms = now.getTime() - Date.parse(rfc3339);
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 1) return 'now';
  const [unit, size] = PARTS.find(([, one]) => seconds >= one) ?? (['s', 1] as const);
  const text = `${NUMBER.format(Math.floor(seconds / size))} ${unit}`;
  return ms > 0 ? `${text} ago` : `in ${text}`;
}

/** Formats of numbers, sizes, times and paths on every page. */
export const FORMAT = {
  bytes: sizeText,
  duration,
  relative,
  number: (value: number): string => NUMBER.format(value),
  /** `2026-01-02 03:04:05 UTC` of an RFC 3339 time. */
  time: (rfc3339: string): string => `${rfc3339.slice(0, 10)} ${rfc3339.slice(11, 19)} UTC`,
  /** A local path of these parts, each encoded. */
  path: (...parts: readonly string[]): string => `/${parts.map(encodeURIComponent).join('/')}`,
  /** `1 job`, `2 jobs`. */
  count: (value: number, one: string, many = `${one}s`): string =>
    `${NUMBER.format(value)} ${value === 1 ? one : many}`,
} as const;

const WEEK = 604_800;
const DAY = 86_400;
const HOUR = 3_600;
const MINUTE = 60;

/** Seconds of each unit by its names, the longest first. */
const UNITS: readonly (readonly [seconds: number, ...names: readonly string[]])[] = [
  [WEEK, 'w', 'week', 'weeks'],
  [DAY, 'd', 'day', 'days'],
  [HOUR, 'h', 'hour', 'hours'],
  [MINUTE, 'min', 'm', 'minute', 'minutes'],
  [1, 's', 'second', 'seconds'],
];
const PART = /(\d{1,9})\s*([a-z]+)/gi;
const DURATION = /^\d{1,9}\s*[a-z]+(?:[\s,]+\d{1,9}\s*[a-z]+)*$/i;

function secondsOf(unit: string): number {
  const [seconds = Number.NaN] = UNITS.find(([, ...names]) => names.includes(unit.toLowerCase())) ?? [];
  return seconds;
}

/** Seconds of `7 days`, `1 h 30 min` or a plain number of seconds; NaN for any other text. */
export function durationSeconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (!DURATION.test(text)) return Number.NaN;
  return [...text.matchAll(PART)].reduce(
    (sum, [, count = '', unit = '']) => sum + Number(count) * secondsOf(unit),
    0,
  );
}

const SHOWN = [
  [DAY, 'day', 'days'],
  [HOUR, 'hour', 'hours'],
  [MINUTE, 'min', 'min'],
  [1, 's', 's'],
] as const;

/** The exact text of a duration, which durationSeconds reads back: `7 days`, `90 min`, `45 s`. */
export function exactDuration(seconds: number): string {
  const [size, one, many] = SHOWN.find(([unit]) => seconds >= unit && seconds % unit === 0) ?? SHOWN[3];
  const count = seconds / size;
  return `${count} ${count === 1 ? one : many}`;
}

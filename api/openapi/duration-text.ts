import { countOf } from '#runtime/count-of.ts';
import { grouped } from './grouped.ts';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `7 days`, or `75 hours` for three days and some hours: in the largest unit that is exact, or of which there are several. */
export function durationText(seconds: number): string {
  const [unit, length] =
    UNITS.find(([, one]) => one > 1 && seconds >= one && seconds % one === 0) ??
    UNITS.find(([, one]) => seconds >= 4 * one) ??
    UNITS[3];
  return countOf(Math.floor(seconds / length), unit);
}

/** The same with the exact number of seconds, if the text is rounded. */
export function exactDurationText(seconds: number): string {
  const text = durationText(seconds);
  const isExact = seconds % 60 === 0 || text.endsWith('second') || text.endsWith('seconds');
  return isExact ? text : `${text} (${grouped(seconds)} seconds)`;
}

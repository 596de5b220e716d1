import { grouped } from './grouped.ts';

const UNITS = [
  ['TiB', 2 ** 40],
  ['TB', 1e12],
  ['GiB', 2 ** 30],
  ['GB', 1e9],
  ['MiB', 2 ** 20],
  ['MB', 1e6],
  ['KiB', 2 ** 10],
  ['kB', 1e3],
] as const;

/** `10 GB (10,000,000,000 bytes)`: in the largest unit that is exact, or rounded to three digits, with the exact number. */
export function sizeText(bytes: number): string {
  const exact = UNITS.find(([, one]) => bytes >= one && bytes % one === 0);
  const [unit, one] = exact ??
    UNITS.find(([, one]) => bytes >= one && String(one).startsWith('1000')) ?? ['', 1];
  if (unit === '') return `${grouped(bytes)} bytes`;
  return `${grouped(Number((bytes / one).toPrecision(3)))} ${unit} (${grouped(bytes)} bytes)`;
}

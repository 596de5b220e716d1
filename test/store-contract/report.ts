import type { Result, Verdict } from './check.ts';

/** Columns of a terminal before the text of a result. */
const VERDICT_WIDTH = 8;

export function lineOf({ name, verdict, detail }: Result): string {
  const text = detail === undefined ? name : `${name}: ${detail}`;
  return `${verdict.padEnd(VERDICT_WIDTH)}${text}`;
}

export function countOf(results: readonly Result[]): Readonly<Record<Verdict, number>> {
  const counts = { pass: 0, differs: 0, fails: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

/** `31 pass, 2 differ, 0 fail. zipjobs can use this store` */
export function summaryOf(results: readonly Result[]): string {
  const { pass, differs, fails } = countOf(results);
  const advice =
    fails === 0
      ? 'zipjobs can use this store'
      : 'zipjobs cannot use this store, or not for all archives; see the checks that fail';
  return `${pass} pass, ${differs} differ, ${fails} fail: ${advice}`;
}

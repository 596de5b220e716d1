/** How many jobs of each planned kind ended how. */
import { type End, mainEnd } from './allowed-ends.ts';
import type { JobKind } from './plan.ts';
import type { Rule } from './violation.ts';

export interface JobEnd {
  readonly kind: JobKind;
  readonly end: End;
}

/** With fewer jobs of a kind, every one of them may have met a fault. */
const MIN_JOBS = 20;

function counts(ends: readonly JobEnd[]): string {
  return [...Map.groupBy(ends, ({ end }) => end)]
    .toSorted(([, some], [, others]) => others.length - some.length)
    .map(([end, { length }]) => `${length} ${end}`)
    .join(', ');
}

function byKind(ends: readonly JobEnd[]): readonly (readonly [JobKind, readonly JobEnd[]])[] {
  return [...Map.groupBy(ends, ({ kind }) => kind)].toSorted(([one], [other]) => one.localeCompare(other));
}

/** One line per planned kind. */
export function endLines(ends: readonly JobEnd[]): readonly string[] {
  return byKind(ends).map(
    ([kind, own]) => `${kind.padEnd(10)} ${String(own.length).padStart(6)} jobs: ${counts(own)}`,
  );
}

/** The ends of one schedule in one line. */
export function endsText(ends: readonly JobEnd[]): string {
  return `${ends.length} jobs: ${counts(ends)}`;
}

/** Each planned kind reaches its main end in a run of many jobs, or the run does not test that kind. */
export function checkEnds(ends: readonly JobEnd[]): readonly Rule[] {
  return byKind(ends).flatMap(([kind, own]): readonly Rule[] => {
    const main = mainEnd(kind);
    if (own.length < MIN_JOBS || own.some(({ end }) => end === main)) return [];
    return [{ rule: 'F30', text: `none of ${own.length} jobs planned as ${kind} ended as ${main}` }];
  });
}

/** The totals of many schedules. */
import { addResumes, NO_RESUMES, resumesText } from './check-resumes.ts';
import { checkEnds, endLines, type JobEnd } from './count-ends.ts';
import type { ScheduleReport } from './run-schedule.ts';
import type { Rule } from './violation.ts';

export interface RunTotals {
  add(
    seed: number,
    report: Pick<ScheduleReport, 'bytesTwice' | 'ends' | 'resumes' | 'seconds' | 'violations'>,
  ): void;
  readonly schedules: number;
  /** Violations of single schedules, and of the rules that only a whole run can break. */
  readonly violations: number;
  /** Violations of the rules that only a whole run can break. */
  wholeRun(): readonly Rule[];
  /** The ends of the jobs of each planned kind, the seeds, their duration, the bytes uploaded twice, the uploads continued, and violations of the whole run. */
  lines(): readonly string[];
}

function seedsText(seeds: readonly number[]): string {
  const sorted = seeds.toSorted((a, b) => a - b);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return 'no seed';
  if (sorted.length === 1) return `seed ${first}`;
  return last - first + 1 === sorted.length ? `seeds ${first} to ${last}` : `seeds ${sorted.join(', ')}`;
}

export function createRunTotals(): RunTotals {
  const ends: JobEnd[] = [];
  const secondsOf = new Map<number, number>();
  const broken: number[] = [];
  let violations = 0;
  let bytesTwice = 0;
  let resumes = NO_RESUMES;

  function duration(): string {
    const [seed, slowest] = [...secondsOf].toSorted(([, one], [, other]) => other - one)[0] ?? [0, 0];
    const mean = secondsOf.values().reduce((sum, seconds) => sum + seconds, 0) / Math.max(1, secondsOf.size);
    return `${mean.toFixed(1)} s on average, at most ${slowest.toFixed(1)} s (seed ${seed})`;
  }
  function wholeRun(): readonly Rule[] {
    return checkEnds(ends);
  }

  return {
    wholeRun,
    add: (seed, report) => {
      ends.push(...report.ends);
      secondsOf.set(seed, report.seconds);
      violations += report.violations.length;
      bytesTwice += report.bytesTwice;
      resumes = addResumes(resumes, report.resumes);
      if (report.violations.length > 0) broken.push(seed);
    },
    get schedules() {
      return secondsOf.size;
    },
    get violations() {
      return violations + wholeRun().length;
    },
    lines: () => [
      ...endLines(ends),
      `${seedsText([...secondsOf.keys()])}: ${duration()}`,
      `${(bytesTwice / 1024 / 1024).toFixed(1)} MiB were uploaded twice`,
      resumesText(resumes),
      ...(broken.length === 0 ? [] : [`violations in ${seedsText(broken)}`]),
      ...wholeRun().map(({ rule, text }) => `${rule} ${text}`),
    ],
  };
}

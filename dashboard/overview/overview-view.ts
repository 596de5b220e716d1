import { type Fault, faultOf } from '#crds/job-failures.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonText } from '../ui/reason-text.ts';
import type { CurrentFigures } from './current-figures.ts';
import { compactDuration, durationText } from './durations.ts';
import { isAboveThreshold } from './failure-rate.ts';
import { type JobCharts, jobCharts } from './job-charts.ts';
import type { CountedJobs, JobLinks } from './job-links.ts';
import type { FailedJob, PeriodFigures, Sums } from './period-figures.ts';
import { type Period, windowOf } from './periods.ts';

/** A text with the list of the jobs that it counts. */
interface Linked {
  readonly text: string;
  readonly href?: string;
}

/** A number with the list that it counts; a rate with the jobs that lower it. */
export interface Figure extends Required<Linked> {
  readonly name: string;
  /** Compared with the time before the period: `+12 %`; `''` if that is not known. */
  readonly trend: string;
  /** Only above a threshold. */
  readonly look: '' | 'bad';
  /** Below the number. */
  readonly notes: readonly Linked[];
}

/** Nothing to count. */
const NONE = '–';

function jobsPath(namespace: string): string {
  return FORMAT.path('projects', namespace, 'jobs');
}

/** What is going on now: the jobs of each state, and the job that has waited longest. */
export function currentView(namespace: string, { phases, oldestWaiting: oldest }: CurrentFigures) {
  return {
    phases: phases.map(({ phase, count }) => ({
      name: phase,
      text: FORMAT.number(count),
      href: `${jobsPath(namespace)}?state=${phase}`,
    })),
    longestWait: oldest && {
      text: compactDuration(oldest.waitedMs),
      note: `${oldest.key}: ${reasonText(oldest.reason)}`,
      href: FORMAT.path('projects', namespace, 'jobs', oldest.name),
    },
  };
}

/** Cancelled jobs count as neither. Undefined without a job. */
function rateOf({ succeeded, failed }: Sums): number | undefined {
  return succeeded + failed === 0 ? undefined : succeeded / (succeeded + failed);
}

/** Rounded down, so that 100 % means no failure. */
export function successRate(sums: Sums): string {
  const rate = rateOf(sums);
  return rate === undefined ? NONE : `${Math.floor(rate * 1_000) / 10} %`;
}

function signed(value: number, unit: string): string {
  const text = FORMAT.number(Math.abs(value));
  return value === 0 ? 'no change' : `${value > 0 ? '+' : '−'}${text} ${unit}`;
}

/** How much more or less than before. `''` without a value of both. */
function trendOf(now: number | undefined, before: number | undefined): string {
  if (now === undefined || before === undefined || before === 0) return '';
  return signed(Math.round((now / before - 1) * 100), '%');
}

/** The difference of two rates. */
function pointsOf(now: number | undefined, before: number | undefined): string {
  if (now === undefined || before === undefined) return '';
  const points = Math.round((now - before) * 1_000) / 10;
  return signed(points, Math.abs(points) === 1 ? 'point' : 'points');
}

function endedOf({ succeeded, failed, cancelled }: Sums): number {
  return succeeded + failed + cancelled;
}

type LinkTo = (jobs: CountedJobs) => string;

function rateFigure({ total, faults, earlier }: PeriodFigures, linkTo: LinkTo): Figure {
  return {
    name: 'Success rate',
    text: successRate(total),
    href: linkTo({ state: 'Failed' }),
    trend: pointsOf(rateOf(total), earlier && rateOf(earlier.total)),
    look: isAboveThreshold(faults, total.succeeded) ? 'bad' : '',
    notes: [{ text: 'cancelled jobs excluded' }],
  };
}

function endedFigure({ total, earlier }: PeriodFigures, linkTo: LinkTo): Figure {
  return {
    name: 'Finished jobs',
    text: FORMAT.number(endedOf(total)),
    href: linkTo({}),
    trend: trendOf(endedOf(total), earlier && endedOf(earlier.total)),
    look: '',
    notes: [
      { text: `${FORMAT.number(total.succeeded)} succeeded`, href: linkTo({ state: 'Succeeded' }) },
      { text: `${FORMAT.number(total.failed)} failed`, href: linkTo({ state: 'Failed' }) },
      { text: `${FORMAT.number(total.cancelled)} cancelled`, href: linkTo({ state: 'Cancelled' }) },
    ],
  };
}

function durationFigure({ durations, earlier }: PeriodFigures, linkTo: LinkTo): Figure {
  return {
    name: 'Median duration',
    text: durations ? durationText(durations.p50) : NONE,
    href: linkTo({ state: 'Succeeded' }),
    trend: trendOf(durations?.p50.ms, earlier?.durations?.p50.ms),
    look: '',
    notes: durations ? [{ text: `95th percentile ${durationText(durations.p95)}` }] : [],
  };
}

function sizeFigure({ total, earlier }: PeriodFigures, linkTo: LinkTo): Figure {
  return {
    name: 'Archive size',
    text: FORMAT.bytes(total.bytes),
    href: linkTo({ state: 'Succeeded' }),
    trend: trendOf(total.bytes, earlier?.total.bytes),
    look: '',
    notes: [{ text: 'all archives together' }],
  };
}

/** A reason of failures, as a bar. */
export interface FailureBar {
  readonly code: string;
  readonly reason: string;
  readonly count: number;
  /** Where the cause is; `''` if that says nothing. */
  readonly fault: string;
  readonly href: string;
}

const FAULTS: Readonly<Record<Fault, string>> = {
  caller: 'request, source or bucket',
  operator: 'zipjobs, cluster or store',
  none: '',
};

export interface FailureRow extends Pick<FailedJob, 'key' | 'finishedAt'> {
  readonly href: string;
  readonly code: string;
  readonly reason: string;
  readonly isUncounted: boolean;
}

/** The finished jobs of one period, formatted. */
export interface PeriodView {
  readonly figures: readonly Figure[];
  readonly charts: JobCharts | undefined;
  readonly failures: readonly FailureBar[];
  /** All failed jobs. */
  readonly failed: number;
  /** Failed jobs whose reason is not among these. */
  readonly moreFailures: number;
  readonly recent: readonly FailureRow[];
  /** Of the newest failures, those that the figures do not count yet. */
  readonly uncounted: number;
  readonly allFailedHref: string;
  readonly countedAt: string;
  /** Whether the figures have trends. */
  readonly isCompared: boolean;
}

export function periodView(
  figures: PeriodFigures,
  {
    namespace,
    period,
    links,
    now,
  }: {
    readonly namespace: string;
    readonly period: Period;
    readonly links: JobLinks;
    readonly now: Date;
  },
): PeriodView {
  const { fromMs } = windowOf(period, now);
  function linkTo(jobs: CountedJobs): string {
    return links({ ...jobs, fromMs });
  }
  const shown = [rateFigure, endedFigure, durationFigure, sizeFigure].map((of) => of(figures, linkTo));
  return {
    figures: shown,
    charts: jobCharts(figures.slots, period.by, links),
    failures: figures.failures.map(({ reason: code, count }) => ({
      code,
      reason: reasonText(code),
      count,
      fault: FAULTS[faultOf(code)],
      href: linkTo({ state: 'Failed', reason: code }),
    })),
    failed: figures.total.failed,
    moreFailures: figures.total.failed - figures.failures.reduce((sum, { count }) => sum + count, 0),
    recent: figures.recent.map(({ id, key, reason: code, finishedAt, isUncounted = false }) => ({
      key,
      finishedAt,
      code,
      reason: reasonText(code),
      href: FORMAT.path('projects', namespace, 'jobs', id),
      isUncounted,
    })),
    uncounted: figures.recent.filter(({ isUncounted }) => isUncounted).length,
    allFailedHref: linkTo({ state: 'Failed' }),
    countedAt: figures.countedAt,
    isCompared: shown.some(({ trend }) => trend !== ''),
  };
}

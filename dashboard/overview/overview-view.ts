import type { Phase } from '#crds/zip-job.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonText } from '../ui/reason-text.ts';
import type { CurrentFigures } from './current-figures.ts';
import { durationText } from './durations.ts';
import { type JobCharts, jobCharts } from './job-charts.ts';
import type { CountedJobs, JobLinks } from './job-links.ts';
import type { FailedJob, PeriodFigures, Sums } from './period-figures.ts';
import { type Period, windowOf } from './periods.ts';

/** A number with the list that it counts; a rate with the jobs that lower it. */
export interface Tile {
  readonly name: string;
  readonly value: string;
  readonly href: string;
  /** Class of its border; the name says the same. */
  readonly look: '' | 'good' | 'bad' | 'going' | 'warn';
  /** Below the number; `''` for nothing. */
  readonly note: string;
}

/** Nothing to count. */
const NONE = '–';

const CURRENT_LOOKS: Readonly<Partial<Record<Phase, Tile['look']>>> = {
  Running: 'going',
  Finalizing: 'going',
};

function jobsPath(namespace: string): string {
  return FORMAT.path('projects', namespace, 'jobs');
}

function oldestTile(namespace: string, oldest: CurrentFigures['oldestWaiting']): Tile {
  return oldest === undefined
    ? {
        name: 'Oldest waiting',
        value: NONE,
        look: '',
        note: 'Nothing waiting',
        href: `${jobsPath(namespace)}?state=Queued`,
      }
    : {
        name: 'Oldest waiting',
        value: FORMAT.duration(oldest.waitedMs),
        look: 'warn',
        note: `${oldest.key}: ${reasonText(oldest.reason)}`,
        href: FORMAT.path('projects', namespace, 'jobs', oldest.name),
      };
}

/** What is going on now, by state. */
export function currentTiles(namespace: string, { phases, oldestWaiting }: CurrentFigures): readonly Tile[] {
  return [
    ...phases.map(({ phase, count }) => ({
      name: phase,
      value: FORMAT.number(count),
      href: `${jobsPath(namespace)}?state=${phase}`,
      look: CURRENT_LOOKS[phase] ?? '',
      note: '',
    })),
    oldestTile(namespace, oldestWaiting),
  ];
}

/** Cancelled jobs count as neither. Rounded down, so that 100 % means no failure. */
export function successRate({ succeeded, failed }: Sums): string {
  return succeeded + failed === 0 ? NONE : `${Math.floor((succeeded / (succeeded + failed)) * 1_000) / 10} %`;
}

const plain = { look: '', note: '' } as const;

function periodTiles(
  { total, durations }: PeriodFigures,
  linkTo: (jobs: CountedJobs) => string,
): readonly Tile[] {
  const bad = total.failed > 0 ? 'bad' : '';
  const succeeded = { href: linkTo({ state: 'Succeeded' }), ...plain };
  return [
    {
      name: 'Success rate',
      value: successRate(total),
      href: linkTo({ state: 'Failed' }),
      look: bad,
      note: 'without cancelled jobs',
    },
    { name: 'Succeeded', value: FORMAT.number(total.succeeded), ...succeeded, look: 'good' },
    {
      name: 'Failed',
      value: FORMAT.number(total.failed),
      href: linkTo({ state: 'Failed' }),
      look: bad,
      note: '',
    },
    {
      name: 'Cancelled',
      value: FORMAT.number(total.cancelled),
      href: linkTo({ state: 'Cancelled' }),
      ...plain,
    },
    { name: 'Size of archives', value: FORMAT.bytes(total.bytes), ...succeeded },
    { name: 'p50 duration', value: durations ? durationText(durations.p50) : NONE, ...succeeded },
    { name: 'p95 duration', value: durations ? durationText(durations.p95) : NONE, ...succeeded },
  ];
}

export interface FailureRow extends Pick<FailedJob, 'key' | 'finishedAt'> {
  readonly href: string;
  readonly code: string;
  readonly reason: string;
}

/** The finished jobs of one period, formatted. */
export interface PeriodView {
  readonly tiles: readonly Tile[];
  readonly charts: JobCharts | undefined;
  readonly failures: readonly {
    readonly code: string;
    readonly reason: string;
    readonly count: string;
    readonly href: string;
  }[];
  /** Failed jobs whose reason is not among these. */
  readonly moreFailures: number;
  readonly recent: readonly FailureRow[];
  readonly allFailedHref: string;
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
  return {
    tiles: periodTiles(figures, linkTo),
    charts: jobCharts(figures.slots, period.by, links),
    failures: figures.failures.map(({ reason: code, count }) => ({
      code,
      reason: reasonText(code),
      count: FORMAT.number(count),
      href: linkTo({ state: 'Failed', reason: code }),
    })),
    moreFailures: figures.total.failed - figures.failures.reduce((sum, { count }) => sum + count, 0),
    recent: figures.recent.map(({ id, key, reason: code, finishedAt }) => ({
      key,
      finishedAt,
      code,
      reason: reasonText(code),
      href: FORMAT.path('projects', namespace, 'jobs', id),
    })),
    allFailedHref: linkTo({ state: 'Failed' }),
  };
}

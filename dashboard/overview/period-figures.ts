import { isFinished } from '#crds/zip-job.ts';
import { isOfOlderProject, uuidOfName } from '#crds/zip-job-facts.ts';
import { phaseOf } from '../jobs/job-progress.ts';
import { failureReason, type ListedJob } from '../live/listed-job.ts';
import { type Durations, durationsOf } from './durations.ts';
import { type Faults, faultsOf } from './failure-rate.ts';
import { type Period, windowBefore, windowOf } from './periods.ts';

const MOST_REASONS = 8;
/** Failures in the list of recent ones: the figures below them stay in the first view. */
export const RECENT_FAILURES = 5;

export interface Sums {
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Size of the archives. */
  readonly bytes: number;
}

/** An hour or a day. */
export interface Slot extends Sums {
  readonly fromMs: number;
}

export interface FailedJob {
  /** metadata.uid of the ZipJob. */
  readonly uid: string;
  /** ID in the API, or the name of a ZipJob without one. */
  readonly id: string;
  readonly key: string;
  /** As `failureReasonOf`. */
  readonly reason: string;
  /** RFC 3339. */
  readonly finishedAt: string;
  /** True if the figures do not count it yet: the history stores a job a moment after its end. */
  readonly isUncounted?: true;
}

/** The finished jobs of an equally long time before a period. */
export interface EarlierFigures {
  readonly total: Sums;
  readonly durations?: Durations;
}

/** Failed jobs by reason. */
export interface Failures {
  /** Most frequent first. */
  readonly failures: readonly { readonly reason: string; readonly count: number }[];
  /** Of all failed jobs. */
  readonly faults: Faults;
}

/** The finished jobs of a period. */
export interface PeriodFigures extends Failures {
  readonly total: Sums;
  /** All of the period, oldest first. */
  readonly slots: readonly Slot[];
  /** Absent if no job succeeded. */
  readonly durations?: Durations;
  /** Newest first. */
  readonly recent: readonly FailedJob[];
  /** Undefined if that is not known. */
  readonly earlier?: EarlierFigures | undefined;
  /** When they were counted (RFC 3339). */
  readonly countedAt: string;
}

const NOTHING: Sums = { succeeded: 0, failed: 0, cancelled: 0, bytes: 0 };

/** One slot for each hour or day, also for those without jobs. */
export function slotsOf(
  period: Pick<Period, 'slotMs'> & { readonly slots: number },
  now: Date,
  counted: readonly Slot[],
): readonly Slot[] {
  const { fromMs } = windowOf(period, now);
  const byStart = new Map(counted.map((slot) => [slot.fromMs, slot]));
  return Array.from({ length: period.slots }, (_, index) => {
    const startMs = fromMs + index * period.slotMs;
    return { ...NOTHING, ...byStart.get(startMs), fromMs: startMs };
  });
}

function endMs({ status }: ListedJob): number {
  return Date.parse(status.finishedAt ?? '');
}

function sumsOf(jobs: readonly ListedJob[]): Sums {
  function count(phase: string): number {
    return jobs.filter((job) => phaseOf(job) === phase).length;
  }
  return {
    succeeded: count('Succeeded'),
    failed: count('Failed'),
    cancelled: count('Cancelled'),
    bytes: jobs.reduce((sum, { status }) => sum + (status.result?.bytes ?? 0), 0),
  };
}

/** At most `MOST_REASONS` of these reasons, and the faults of all of them. */
export function topFailures(all: Failures['failures']): Failures {
  return {
    failures: all
      .toSorted((a, b) => b.count - a.count || a.reason.localeCompare(b.reason, 'en'))
      .slice(0, MOST_REASONS),
    faults: faultsOf(all),
  };
}

function reasonsOf(failed: readonly ListedJob[]): Failures {
  return topFailures(
    [...Map.groupBy(failed, failureReason)].map(([reason, jobs]) => ({ reason, count: jobs.length })),
  );
}

/** The newest of these failures, each job once. */
export function newestFailures(failures: readonly FailedJob[]): readonly FailedJob[] {
  return [...new Map(failures.map((job) => [job.uid, job])).values()]
    .sort((a, b) => Date.parse(b.finishedAt) - Date.parse(a.finishedAt))
    .slice(0, RECENT_FAILURES);
}

/** Failed jobs that are still in the cluster, newest first. */
function failuresOf(failed: readonly ListedJob[]): readonly FailedJob[] {
  return newestFailures(
    failed.map((job) => ({
      uid: job.metadata.uid ?? job.metadata.name,
      id: uuidOfName(job.metadata.name) ?? job.metadata.name,
      key: job.spec.key,
      reason: failureReason(job),
      finishedAt: job.status.finishedAt ?? '',
    })),
  );
}

function durationOf({ status: { startedAt, finishedAt } }: ListedJob): readonly number[] {
  return startedAt === undefined || finishedAt === undefined
    ? []
    : [Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt))];
}

function durationsIn(finished: readonly ListedJob[]): Pick<EarlierFigures, 'durations'> {
  const durations = durationsOf(finished.filter((job) => phaseOf(job) === 'Succeeded').flatMap(durationOf));
  return durations === undefined ? {} : { durations };
}

/** `toMs` is excluded. */
function finishedWithin(jobs: readonly ListedJob[], fromMs: number, toMs = Infinity): readonly ListedJob[] {
  return jobs.filter((job) => isFinished(job) && endMs(job) >= fromMs && endMs(job) < toMs);
}

function finishedIn(jobs: readonly ListedJob[], period: Period, now: Date): readonly ListedJob[] {
  return finishedWithin(jobs, windowOf(period, now).fromMs);
}

function failedOf(finished: readonly ListedJob[]): readonly ListedJob[] {
  return finished.filter((job) => phaseOf(job) === 'Failed');
}

/** The jobs of the project that was created at this time: the history shows no others. */
export function ofProject(
  jobs: readonly ListedJob[],
  projectCreatedAt: string | undefined,
): readonly ListedJob[] {
  const createdAtMs = Date.parse(projectCreatedAt ?? '');
  return jobs.filter((job) => !isOfOlderProject(job, createdAtMs));
}

/** The newest failures of a period. */
export function projectFailures(
  jobs: readonly ListedJob[],
  { period, now }: { readonly period: Period; readonly now: Date },
): readonly FailedJob[] {
  return failuresOf(failedOf(finishedIn(jobs, period, now)));
}

/** The jobs in the cluster that finished at this time or later. */
export function endedSince(jobs: readonly ListedJob[], fromMs: number): Failures & { readonly total: Sums } {
  const finished = finishedWithin(jobs, fromMs);
  return { total: sumsOf(finished), ...reasonsOf(failedOf(finished)) };
}

/** Of the jobs that are still in the cluster: shortly before a period, some can be gone. */
export function earlierFigures(jobs: readonly ListedJob[], period: Period, now: Date): EarlierFigures {
  const { fromMs, toMs } = windowBefore(period, now);
  const finished = finishedWithin(jobs, fromMs, toMs);
  return { total: sumsOf(finished), ...durationsIn(finished) };
}

/** Figures of the jobs that are still in the cluster. */
export function clusterFigures(jobs: readonly ListedJob[], period: Period, now: Date): PeriodFigures {
  const { toMs } = windowOf(period, now);
  const finished = finishedIn(jobs, period, now);
  const failed = failedOf(finished);
  // The clock of the dashboard may be behind.
  const lastMs = toMs - period.slotMs;
  function slotOf(job: ListedJob): number {
    return Math.min(lastMs, Math.floor(endMs(job) / period.slotMs) * period.slotMs);
  }
  const bySlot = Map.groupBy(finished, slotOf);
  return {
    total: sumsOf(finished),
    slots: slotsOf(
      period,
      now,
      [...bySlot].map(([startMs, ended]) => ({ ...sumsOf(ended), fromMs: startMs })),
    ),
    ...reasonsOf(failed),
    ...durationsIn(finished),
    recent: failuresOf(failed),
    countedAt: now.toISOString(),
  };
}

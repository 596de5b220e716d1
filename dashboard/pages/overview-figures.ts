import { isFinished, PHASES, type Phase } from '#crds/zip-job.ts';
import type { ListedJob } from '../live/listed-job.ts';
import { phaseOf } from './jobs/job-progress.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const MOST_REASONS = 8;

export interface HourFigures {
  /** Start of the hour (RFC 3339). */
  readonly from: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly bytes: number;
}

export interface Overview {
  readonly total: number;
  readonly phases: readonly { readonly phase: Phase; readonly count: number }[];
  /** The last 24 hours, oldest first. */
  readonly hours: readonly HourFigures[];
  readonly day: Omit<HourFigures, 'from'>;
  /** Reasons of failures in the last 24 hours, most frequent first. */
  readonly failures: readonly { readonly reason: string; readonly count: number }[];
  /** The job that has waited longest for its pod. */
  readonly oldestWaiting:
    | { readonly name: string; readonly key: string; readonly reason: string; readonly waitedMs: number }
    | undefined;
}

const WAITING: readonly Phase[] = ['Queued', 'Starting'];

const timeOf = (text: string | undefined): number => (text === undefined ? Number.NaN : Date.parse(text));

const countBy = <K extends string>(keys: Iterable<K>): Map<K, number> => {
  const counts = new Map<K, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

const figuresOf = (jobs: readonly ListedJob[]): Omit<HourFigures, 'from'> => ({
  succeeded: jobs.filter((job) => phaseOf(job) === 'Succeeded').length,
  failed: jobs.filter((job) => phaseOf(job) === 'Failed').length,
  bytes: jobs.reduce((sum, { status }) => sum + (status.result?.bytes ?? 0), 0),
});

const hoursOf = (finished: readonly ListedJob[], nowMs: number): readonly HourFigures[] => {
  const first = Math.floor(nowMs / HOUR_MS) - HOURS + 1;
  const byHour = Map.groupBy(finished, ({ status }) => Math.floor(timeOf(status.finishedAt) / HOUR_MS));
  return Array.from({ length: HOURS }, (_, index) => ({
    from: new Date((first + index) * HOUR_MS).toISOString(),
    ...figuresOf(byHour.get(first + index) ?? []),
  }));
};

const reasonOf = ({ status }: ListedJob): string => status.failure?.code ?? status.reason ?? 'Unknown';

const oldestOf = (jobs: readonly ListedJob[], nowMs: number): Overview['oldestWaiting'] => {
  let oldest: { readonly job: ListedJob; readonly since: number } | undefined;
  for (const job of jobs) {
    if (!WAITING.includes(phaseOf(job))) continue;
    const since = timeOf(job.metadata.creationTimestamp);
    if (oldest === undefined || since < oldest.since) oldest = { job, since };
  }
  if (oldest === undefined) return undefined;
  const { metadata, spec, status } = oldest.job;
  return {
    name: metadata.name,
    key: spec.key,
    reason: status.reason ?? 'Queued',
    waitedMs: Math.max(0, nowMs - oldest.since),
  };
};

/** Current and recent activity of a project, from the jobs that still exist. */
export const overviewOf = (jobs: readonly ListedJob[], now: Date): Overview => {
  const nowMs = now.getTime();
  const counts = countBy(jobs.map(phaseOf));
  const hours = hoursOf(jobs.filter(isFinished), nowMs);
  const start = timeOf(hours[0]?.from);
  const ofToday = jobs.filter((job) => isFinished(job) && timeOf(job.status.finishedAt) >= start);
  const failures = countBy(ofToday.filter((job) => phaseOf(job) === 'Failed').map(reasonOf));
  return {
    total: jobs.length,
    phases: PHASES.map((phase) => ({ phase, count: counts.get(phase) ?? 0 })),
    hours,
    day: figuresOf(ofToday),
    failures: [...failures]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason, 'en'))
      .slice(0, MOST_REASONS),
    oldestWaiting: oldestOf(jobs, nowMs),
  };
};

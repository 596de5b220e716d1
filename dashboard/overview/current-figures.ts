import { isFinished, PHASES, type Phase, TERMINAL_PHASES } from '#crds/zip-job.ts';
import { phaseOf } from '../jobs/job-progress.ts';
import type { ListedJob } from '../live/listed-job.ts';

/** The jobs that are not finished. */
export interface CurrentFigures {
  /** Jobs of each state that is not final. */
  readonly phases: readonly { readonly phase: Phase; readonly count: number }[];
  /** Jobs that wait because all jobs are paused. */
  readonly paused: number;
  /** The job that has waited longest for its pod. */
  readonly oldestWaiting:
    | { readonly name: string; readonly key: string; readonly reason: string; readonly waitedMs: number }
    | undefined;
}

const UNFINISHED = PHASES.filter((phase) => !TERMINAL_PHASES.some((one) => one === phase));
const WAITING: readonly Phase[] = ['Queued', 'Starting'];

function oldestOf(jobs: readonly ListedJob[], nowMs: number): CurrentFigures['oldestWaiting'] {
  let oldest: { readonly job: ListedJob; readonly since: number } | undefined;
  for (const job of jobs) {
    if (!WAITING.includes(phaseOf(job))) continue;
    const since = Date.parse(job.metadata.creationTimestamp ?? '');
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
}

export function currentFigures(jobs: readonly ListedJob[], now: Date): CurrentFigures {
  const counts = new Map<Phase, number>();
  for (const job of jobs) counts.set(phaseOf(job), (counts.get(phaseOf(job)) ?? 0) + 1);
  return {
    phases: UNFINISHED.map((phase) => ({ phase, count: counts.get(phase) ?? 0 })),
    paused: jobs.filter((job) => !isFinished(job) && job.status.reason === 'Paused').length,
    oldestWaiting: oldestOf(jobs, now.getTime()),
  };
}

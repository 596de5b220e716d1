import { ANNOTATIONS } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { Change } from '#runtime/kube/types.ts';

export type QueueDecision =
  | { readonly kind: 'go' }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'wait'; readonly for: string };

/** Why a job must wait, as reason and message of its status. */
export interface Blocked {
  readonly reason: 'SlotsTaken' | 'Paused' | 'OlderJobFirst';
  readonly message: string;
}

export const olderJobFirst = (name: string): Blocked => ({
  reason: 'OlderJobFirst',
  message: `job ${name} writes the same key of the same bucket and runs first`,
});

/** Sorts by age. The API server's time has whole seconds; within one, the time at which the request was accepted decides. */
export const orderOf = ({ metadata: { creationTimestamp = '', annotations, name } }: ZipJob): string =>
  `${creationTimestamp} ${annotations?.[ANNOTATIONS.acceptedAt] ?? ''} ${name}`;

/** A suspended job that has not started is ignored until it is resumed, so it blocks no other job. */
const isHeld = (zipJob: ZipJob): boolean =>
  zipJob.spec.suspend === true && (zipJob.status?.phase === undefined || zipJob.status.phase === 'Queued');

const hasStarted = (zipJob: ZipJob): boolean =>
  zipJob.status?.phase !== undefined && zipJob.status.phase !== 'Queued';

/** True if a job of the same bucket and key may start after the change: this one is finished, deleted or suspended. */
export const mayFreeKey = (change: Change<ZipJob>): boolean =>
  change.kind === 'deleted' || isFinished(change.object) || isHeld(change.object);

/** A job, and the other unfinished ZipJobs of the same bucket and key. */
export interface KeyQueue {
  readonly zipJob: ZipJob;
  readonly conflictingJobs: readonly ZipJob[];
}

/**
 * Decides whether a queued job is next. One job at a time writes a key of a bucket, in the order of creation. The
 * ledger enforces that only one writes, because the caches may be stale; this function decides the order.
 */
export const queueDecision = ({ zipJob, conflictingJobs }: KeyQueue): QueueDecision => {
  if (zipJob.spec.suspend === true) return { kind: 'suspended' };
  const first =
    // A started job comes first, even if an older one appeared afterwards.
    conflictingJobs.find(hasStarted) ??
    conflictingJobs.find(
      (conflictingJob) => !isHeld(conflictingJob) && orderOf(conflictingJob) < orderOf(zipJob),
    );
  return first ? { kind: 'wait', for: first.metadata.name } : { kind: 'go' };
};

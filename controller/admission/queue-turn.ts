import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';

export type QueueTurn =
  | { readonly kind: 'go' }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'wait'; readonly for: string };

/** Sorts by age. The API server's time has whole seconds; within one, the time at which the request was accepted decides. */
export const orderOf = ({ metadata: { creationTimestamp = '', annotations, name } }: ZipJob): string =>
  `${creationTimestamp} ${annotations?.[ANNOTATIONS.acceptedAt] ?? ''} ${name}`;

/** A suspended job that has not started is ignored until it is resumed, so it blocks no other job. */
const isHeld = (zipJob: ZipJob): boolean =>
  zipJob.spec.suspend === true && (zipJob.status?.phase === undefined || zipJob.status.phase === 'Queued');

const hasStarted = (zipJob: ZipJob): boolean =>
  zipJob.status?.phase !== undefined && zipJob.status.phase !== 'Queued';

/** A job and the others that want the same key. */
export interface Contest {
  readonly zipJob: ZipJob;
  /** Other unfinished ZipJobs of the same bucket and key. */
  readonly conflictingJobs: readonly ZipJob[];
  /** Names of the jobs among them that have a Job or are about to get one, although their status does not show it yet. */
  readonly started?: readonly string[];
}

/** Decides whether a queued job may start. One job at a time writes a key of a bucket, in the order of creation. */
export const queueTurn = (seen: Contest): QueueTurn => {
  const { zipJob, conflictingJobs, started = [] } = seen;
  if (zipJob.spec.suspend === true) return { kind: 'suspended' };
  const first =
    // A started job comes first, even if an older one appeared since.
    conflictingJobs.find(
      (conflictingJob) => hasStarted(conflictingJob) || started.includes(conflictingJob.metadata.name),
    ) ??
    conflictingJobs.find(
      (conflictingJob) => !isHeld(conflictingJob) && orderOf(conflictingJob) < orderOf(zipJob),
    );
  return first ? { kind: 'wait', for: first.metadata.name } : { kind: 'go' };
};

import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';

/** Why a job must wait, as reason and message of its status. */
export interface Blocked {
  readonly reason: 'SlotsTaken' | 'Paused' | 'OlderJobFirst';
  readonly message: string;
}

/** The older job is in the same namespace. */
export function olderJobFirst(older: ObjectKey): Blocked {
  return {
    reason: 'OlderJobFirst',
    message: `job ${older.slice(older.indexOf('/') + 1)} writes the same key of the same bucket and runs first`,
  };
}

/** Sorts by age. The API server's time has whole seconds; within one, the time at which the request was accepted decides. */
export function orderOf({ metadata: { creationTimestamp = '', annotations, name } }: ZipJob): string {
  return `${creationTimestamp} ${annotations?.[ANNOTATIONS.acceptedAt] ?? ''} ${name}`;
}

function hasStarted(zipJob: ZipJob): boolean {
  return zipJob.status?.phase !== undefined && zipJob.status.phase !== 'Queued';
}

/** A suspended job that has not started is ignored until it is resumed, so it blocks no other job. */
export function isHeld(zipJob: ZipJob): boolean {
  return zipJob.spec.suspend === true && !hasStarted(zipJob);
}

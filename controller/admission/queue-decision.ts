import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';

/** Why a job must wait, as reason and message of its status. */
export interface Blocked {
  readonly reason: 'SlotsTaken' | 'Paused' | 'OlderJobFirst';
  readonly message: string;
}

/** The older job is in the same namespace. */
export const olderJobFirst = (older: ObjectKey): Blocked => ({
  reason: 'OlderJobFirst',
  message: `job ${older.slice(older.indexOf('/') + 1)} writes the same key of the same bucket and runs first`,
});

/** Sorts by age. The API server's time has whole seconds; within one, the time at which the request was accepted decides. */
export const orderOf = ({ metadata: { creationTimestamp = '', annotations, name } }: ZipJob): string =>
  `${creationTimestamp} ${annotations?.[ANNOTATIONS.acceptedAt] ?? ''} ${name}`;

const hasStarted = (zipJob: ZipJob): boolean =>
  zipJob.status?.phase !== undefined && zipJob.status.phase !== 'Queued';

/** A suspended job that has not started is ignored until it is resumed, so it blocks no other job. */
export const isHeld = (zipJob: ZipJob): boolean => zipJob.spec.suspend === true && !hasStarted(zipJob);

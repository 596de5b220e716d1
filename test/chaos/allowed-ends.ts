/** How a job may end, by its planned kind and the injected errors that it met. */
import type { JobKind } from './plan.ts';

/** Phase and reason of a job, or what happened to it instead. */
export type End =
  | `${'Succeeded' | 'Failed' | 'Cancelled'} ${string}`
  | 'deleted'
  | 'refused'
  | 'not accepted'
  | 'unfinished';

/**
 * Injected errors that may end a job without an archive. source, store: a request of this job was answered with an
 * error. bucket: its ZipBucket was deleted, before the job was accepted or as it started. job: the test deleted its
 * Kubernetes Job.
 */
export type JobFault = 'source' | 'store' | 'bucket' | 'job';

const SUCCESS = ['Succeeded Uploaded', 'Succeeded VerifiedInStore'] as const;

const ENDS: Readonly<Record<JobKind, readonly [End, ...End[]]>> = {
  ordinary: SUCCESS,
  slow: SUCCESS,
  replacing: SUCCESS,
  resuming: SUCCESS,
  missing: ['Failed SourceNotFound'],
  // The archive may be complete before the controller reads the cancellation.
  cancelled: ['Cancelled Cancelled', ...SUCCESS],
  deleted: ['deleted', 'Cancelled Deleted', ...SUCCESS],
};

/** Never OutcomeUnknown: the store returns before recovery gives up, and the credentials permit every check. */
const ENDS_AFTER: Readonly<Record<JobFault, readonly End[]>> = {
  source: ['Failed SourceUnavailable'],
  store: ['Failed StoreUnavailable'],
  bucket: ['Failed BucketTerminating', 'Failed BucketNotFound', 'Failed BucketDeleted'],
  job: ['Failed JobDeleted'],
};

export function allowedEnds(kind: JobKind, faults: readonly JobFault[]): readonly End[] {
  return [...ENDS[kind], ...faults.flatMap((fault) => ENDS_AFTER[fault])];
}

/** The end of most jobs of this kind. */
export function mainEnd(kind: JobKind): End {
  return ENDS[kind][0];
}

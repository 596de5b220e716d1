import type { ZipBucket, ZipBucketStatus } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import type { EarlyRelease } from '../kube-state/release.ts';
import type { DecisionConfig } from '../zip-job/observation.ts';

/** A Job that tests a bucket, and its pods. */
export interface BucketTest {
  readonly job: Job;
  readonly pods: readonly Pod[];
}

/** Everything that a decision about one ZipBucket rests on. */
export interface BucketObservation {
  readonly bucket: ZipBucket;
  /** ZipJobs that name it, finished ones too: whoever reads of such a job is told of its bucket. */
  readonly zipJobs: readonly ZipJob[];
  /** The project is being deleted, or gone: nobody reads of its finished jobs any more. */
  readonly isProjectLeaving: boolean;
  readonly tests: readonly BucketTest[];
  /** Asked only when the bucket is being deleted. */
  readonly isNamespaceTerminating: boolean;
}

export type BucketAction =
  | { readonly kind: 'addFinalizer' }
  | { readonly kind: 'releaseFinalizer'; readonly early?: EarlyRelease }
  | { readonly kind: 'startTest'; readonly nonce: string; readonly job: Job }
  | { readonly kind: 'deleteTest'; readonly name: string; readonly uid: string };

export interface BucketDecision {
  /** The next status, always all of it; absent when it is the one that is there. */
  readonly status?: ZipBucketStatus;
  readonly actions: readonly BucketAction[];
  readonly requeueAfterMs?: number;
}

export type BucketConfig = DecisionConfig & { readonly bucketTestSeconds: number };

export interface BucketMoment {
  readonly now: Date;
  readonly config: BucketConfig;
}

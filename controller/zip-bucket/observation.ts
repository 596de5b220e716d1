import type { ZipBucket, ZipBucketStatus } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { QuotaRefusal } from '#runtime/kube/quota-refusal.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import type { PodWait } from '../cluster/pod-waiting.ts';
import type { ForcedRemoval } from '../cluster/release.ts';
import type { EventNote } from '../reconciling/events.ts';
import type { QuotaWait } from '../zip-job/lifetime/quota-room.ts';
import type { DecisionConfig } from '../zip-job/observation.ts';

/** A Job that tests a bucket, and its pods. */
export interface BucketTest {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** What the newest Warning Event says about the missing pod or container; read only after it has waited for one. */
  readonly podRefusal?: PodWait | undefined;
  /** The quota that refuses its pod. */
  readonly quota?: QuotaWait | undefined;
}

/** The input of a decision about one ZipBucket. */
export interface BucketObservation {
  readonly bucket: ZipBucket;
  readonly unfinishedJobs: number;
  /** Its store does not respond. */
  readonly isHeld: boolean;
  /**
   * Only if it is being deleted: the ZipJobs that refer to it, including finished ones, because a read of a finished job includes
   * its bucket.
   */
  readonly zipJobs: readonly ZipJob[];
  /** Its settings apply to the pod of a test. */
  readonly project: ZipProject | undefined;
  /** The project is deleted or being deleted, so its finished jobs are no longer readable. */
  readonly isProjectLeaving: boolean;
  readonly tests: readonly BucketTest[];
  /** Set only if the bucket is being deleted. */
  readonly isNamespaceTerminating: boolean;
}

export type BucketAction =
  | { readonly kind: 'addFinalizer' }
  | { readonly kind: 'releaseFinalizer'; readonly forced?: ForcedRemoval }
  | { readonly kind: 'freeQuota'; readonly refusal: QuotaRefusal }
  | { readonly kind: 'startTest'; readonly nonce: string; readonly job: Job }
  | { readonly kind: 'deleteTest'; readonly name: string; readonly uid: string };

export interface BucketDecision {
  readonly event?: EventNote;
  /** The complete next status; absent if it does not change. */
  readonly status?: ZipBucketStatus;
  /** The status differs only in its job count, which may be written later. */
  readonly isCountOnly?: boolean;
  readonly actions: readonly BucketAction[];
  readonly requeueAfterMs?: number;
}

export type BucketConfig = DecisionConfig & { readonly bucketTestSeconds: number };

export interface BucketMoment {
  readonly now: Date;
  readonly config: BucketConfig;
}

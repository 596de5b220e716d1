import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ControllerStatus, ZipJob, ZipperStatus } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { QuotaRefusal } from '#runtime/kube/quota-refusal.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import type { PodWait } from '../cluster/pod-waiting.ts';
import type { ForcedRemoval } from '../cluster/release.ts';
import type { ControllerConfig } from '../config/config.ts';
import type { Position } from '../queue/ledger.ts';
import type { EventNote } from '../reconciling/events.ts';
import type { Refusal } from '../reconciling/refusal.ts';
import type { DeliveryState } from '../webhook/dispatcher.ts';
import type { QuotaWait } from './lifetime/quota-room.ts';
import type { SeenProgress } from './memory.ts';

/** The input of a decision about one ZipJob. */
export interface Observation {
  readonly zipJob: ZipJob;
  readonly project: ZipProject | undefined;
  readonly bucket: ZipBucket | undefined;
  /** For an unfinished job: the ZipBuckets of its files that exist. Absent: none. */
  readonly sourceBuckets?: readonly ZipBucket[];
  /** The Job with the name of the ZipJob, even with another owner. */
  readonly job: Job | undefined;
  /** Pods of that Job. */
  readonly pods: readonly Pod[];
  /** The recovery Job of the last attempt. */
  readonly recovery: { readonly job: Job; readonly pods: readonly Pod[] } | undefined;
  readonly refusal: Refusal | undefined;
  /** For an unfinished job. */
  readonly seenProgress?: SeenProgress;
  /** Unfinished jobs with an active pod, this one included if it has one. */
  readonly reportingJobs?: number;
  /** Why the Job, or the recovery Job if there is one, has no pod; read only after it has waited for one. */
  readonly podRefusal?: PodWait | undefined;
  /** The quota that refuses the next Job or its pod. */
  readonly quota?: QuotaWait | undefined;
  /** For a finished job: deliveries of its webhook by name of the endpoint. */
  readonly deliveries: ReadonlyMap<string, DeliveryState>;
  /** Its entry in the admission ledger. */
  readonly position: Position;
  /** For an unfinished rerun: the ZipJob whose file list it uses. */
  readonly listOwner?: ZipJob | undefined;
  /** For an unfinished job: a job of another namespace may write the same object of the same bucket. */
  readonly sharesTarget?: boolean;
  /** For an unfinished job: the limit of its project. */
  readonly maxArchiveBytes?: number;
  /** For a finished job: reruns that use its file list. */
  readonly listUsers?: readonly ZipJob[];
  /** For a finished job: its Kubernetes Jobs, those of recoveries included. */
  readonly ownJobs?: readonly Job[];
  /** For a finished job: its pods are among too many ended pods, and are deleted early. */
  readonly hasSurplusPods?: boolean;
  /** For a finished job: its project is nearly full and deletes it before others. */
  readonly isSurplus?: boolean;
  /** For an unfinished job: the API server refused its ZipCheckpoint, and it is not tried again yet. */
  readonly isCheckpointRefused?: boolean;
  /** Set only for an unfinished job that is being deleted. */
  readonly isNamespaceTerminating: boolean;
}

/**
 * The status fields that the controller sends, always all of them. They include `result` only if the attempt was lost
 * before it could write its own, and the archive was found in the store.
 */
export type OwnedStatus = ControllerStatus & Pick<ZipperStatus, 'result'>;

export type Action =
  | { readonly kind: 'reserve' }
  /** Applies only if the job is still in the observed state. */
  | { readonly kind: 'release'; readonly state: Position['state'] }
  | { readonly kind: 'addFinalizer' }
  | {
      readonly kind: 'removeFinalizer';
      readonly forced?: ForcedRemoval;
      /** The history does not have the job, and never will. */
      readonly isUnstored?: boolean;
    }
  | { readonly kind: 'createJob'; readonly target: 'archive' | 'recover'; readonly job: Job }
  | { readonly kind: 'deleteJob'; readonly name: string; readonly uid: string }
  | { readonly kind: 'freeQuota'; readonly refusal: QuotaRefusal }
  /** Lets the Job fail, so that it starts no other pod and those that it has keep their logs. */
  | { readonly kind: 'failJob'; readonly name: string; readonly uid: string }
  | { readonly kind: 'forceDeletePod'; readonly name: string; readonly uid: string }
  | { readonly kind: 'deleteFileList'; readonly secretNames: readonly string[] }
  | { readonly kind: 'discardDelivery'; readonly endpoint: string }
  | { readonly kind: 'deliverWebhook'; readonly endpoint: string }
  | {
      readonly kind: 'deleteZipJob';
      /** The history does not have the job, and never will. */
      readonly isUnstored?: boolean;
    };

/**
 * Carried out before the write of the status. Harmless if that write then fails, because the next decision repeats it.
 * `setCheckpoint`: creates the ZipCheckpoint of the job, or makes this pod the only one that may write it.
 */
export type BeforeAction =
  | { readonly kind: 'setCheckpoint'; readonly podUid: string }
  | { readonly kind: 'deleteCheckpoint' };

export interface Decision {
  readonly before?: readonly BeforeAction[];
  /** The next status; absent if it does not change. */
  readonly status?: OwnedStatus;
  readonly actions: readonly Action[];
  readonly events: readonly EventNote[];
  /** Requeue delay if nothing changes. */
  readonly requeueAfterMs?: number;
}

/** An unfinished decision. Its status may equal the current one. */
export interface Step {
  readonly status: OwnedStatus;
  /** Status and events are written by the reconcile after the actions, which has more information. */
  readonly isDeferred?: boolean;
  /** The job requests a reservation, or keeps its place in the queue; otherwise it gives up both. */
  readonly slot?: 'reserve' | 'wait';
  readonly before?: readonly BeforeAction[];
  readonly actions?: readonly Action[];
  readonly events?: readonly EventNote[];
  readonly requeueAfterMs?: number | undefined;
}

export interface Situation {
  readonly seen: Observation;
  /** The current status fields that the controller owns. */
  readonly status: OwnedStatus;
  readonly now: Date;
  readonly config: DecisionConfig;
}

/** The settings that decisions depend on. */
export type DecisionConfig = Pick<
  ControllerConfig,
  | 'zipperImage'
  | 'zipperImagePullPolicy'
  | 'zipperImagePullSecrets'
  | 'zipperEnv'
  | 'taskSettings'
  | 'zipperPod'
  | 'zipperProxySecrets'
  | 'zipperResources'
  | 'zipperPriorityClassName'
  | 'zipperGraceSeconds'
  | 'activeDeadlineSeconds'
  | 'succeededTtlSeconds'
  | 'failedTtlSeconds'
  | 'succeededPodTtlSeconds'
  | 'failedPodTtlSeconds'
  | 'fileListTtlSeconds'
  | 'fullProjectTtlSeconds'
  | 'historyHost'
  | 'historyWhenFull'
  | 'archivedTtlSeconds'
  | 'restoredAfterSeconds'
  | 'recoveryDeadlineSeconds'
  | 'recoveryTimeoutSeconds'
  | 'recoveryRetrySeconds'
  | 'recoveryResources'
  | 'recoveryPriorityClassName'
  | 'storeTokenAudiences'
  | 'maxDisruptions'
  | 'noProgressSeconds'
  | 'resume'
  | 'resumeFromBytes'
  | 'resumeFromSeconds'
  | 'progressWritesPerSecond'
  | 'progressBytesPerSecond'
  | 'progressIntervalMaxSeconds'
  | 'trustedQueues'
  | 'webhookSchedule'
> & {
  /** Public key for what only the controller may read of the messages of zippers. */
  readonly sealingKey?: string | undefined;
};

/** The outcome of a job. */
export interface Outcome {
  readonly reason: string;
  readonly message: string;
}

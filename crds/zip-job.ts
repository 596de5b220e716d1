import type { GROUP_VERSION } from './api-group.ts';
import type { Condition } from './conditions.ts';
import type { FileEntry } from './file-entry.ts';
import type { ObjectMeta } from './object-meta.ts';
import type { Failure, SourceCheck, ZipResult } from './zip-outcome.ts';

export type { Expectations, FileEntry, ListedFile } from './file-entry.ts';
export type { Failure, SourceCheck, ZipResult } from './zip-outcome.ts';

export const SERVICES = ['s3', 'r2'] as const;
export type Service = (typeof SERVICES)[number];

/**
 * Queued: waiting for a slot, an older job of the same key, or `suspend: false`. Starting: its Job exists. Running: the
 * active pod has written its first progress. Finalizing: the outcome is known, cleaning up. The last three never change
 * again, which the API server enforces.
 */
export const PHASES = [
  'Queued',
  'Starting',
  'Running',
  'Finalizing',
  'Succeeded',
  'Failed',
  'Cancelled',
] as const;
export type Phase = (typeof PHASES)[number];
export const TERMINAL_PHASES = ['Succeeded', 'Failed', 'Cancelled'] as const satisfies readonly Phase[];

/** What API clients see. */
export const API_STATUSES = ['none', 'processing', 'succeeded', 'failed'] as const;
export type ApiStatus = (typeof API_STATUSES)[number];

export const COMPRESSIONS = ['auto', 'store', 'deflate'] as const;
export type Compression = (typeof COMPRESSIONS)[number];
/** What happens when a source fails. Fail: the job fails. Skip: the file is omitted. Placeholder: a short text replaces it. */
export const ON_SOURCE_ERRORS = ['Fail', 'Skip', 'Placeholder'] as const;
export type OnSourceError = (typeof ON_SOURCE_ERRORS)[number];
export const ON_CONFLICTS = ['replace', 'fail'] as const;
export type OnConflict = (typeof ON_CONFLICTS)[number];
/** What happens to names that some systems cannot store, or cannot store side by side. */
export const PORTABLE_NAMES = ['keep', 'refuse', 'rewrite'] as const;
export type PortableNames = (typeof PORTABLE_NAMES)[number];
/** What happens to a file whose name another one has. */
export const DUPLICATE_NAMES = ['refuse', 'rename'] as const;
export type DuplicateNames = (typeof DUPLICATE_NAMES)[number];
/** json: only with a `manifestEntry`. sha256sum: for `sha256sum -c`. bagit: the archive is a BagIt bag. */
export const MANIFEST_FORMATS = ['json', 'sha256sum', 'bagit'] as const;
export type ManifestFormat = (typeof MANIFEST_FORMATS)[number];
export const WEBHOOK_EVENTS = ['COMPLETED', 'FAILED'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Of one archive: the status has room for a list of this many files. */
export const MOST_FILES = 10_000;

/** Location of a list that is not inline: gzipped JSON lines in Secrets that the ZipJob owns. */
export interface FilesFrom {
  readonly secretNames: readonly string[];
  readonly encoding: 'gzip+json';
  readonly count: number;
  /** SHA-256 (hex) of all lines of all chunks, uncompressed and in order. */
  readonly sha256: string;
}

/** Quantities of Kubernetes by resource, such as `{ cpu: 2, memory: '1Gi' }`. */
type Quantities = Readonly<Record<string, string | number>>;

/** Options of the archive as an object. Each takes precedence over the one of the bucket; metadata and tags do by name. */
export interface ChosenObjectOptions {
  readonly contentDisposition?: string;
  /** Default: application/zip. */
  readonly contentType?: string;
  readonly cacheControl?: string;
  readonly storageClass?: string;
  /** User metadata. Names that start with `zip-` are reserved. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
}

/** Each is a volume source of the zipper's pod, so this limits the pod and not only the request. */
export const MAX_SOURCE_BUCKETS = 8;

/** Without a URL, the Secret `zipjobs-webhook` contains it. */
export interface JobEndpoint {
  readonly url?: string;
  readonly events: readonly WebhookEvent[];
}

export interface ZipJobSpec {
  readonly bucketRef: { readonly name: string };
  readonly service?: Service;
  /** Object key of the archive: 1 to 1,024 bytes of UTF-8. */
  readonly key: string;
  readonly files?: readonly FileEntry[];
  readonly filesFrom?: FilesFrom;
  /** Names of the ZipBuckets from which files are read, sorted. At most MAX_SOURCE_BUCKETS. */
  readonly sourceBuckets?: readonly string[];
  /** The caller's JSON object as text, never serialized again. */
  readonly metadata?: string;
  readonly compression?: Compression;
  readonly onSourceError?: OnSourceError;
  /** Name of the JSON manifest. Absent: no JSON manifest. */
  readonly manifestEntry?: string;
  readonly manifestFormat?: ManifestFormat;
  /** Modification time of all entries (RFC 3339), so that the same inputs give the same bytes. */
  readonly fixedModificationTime?: string;
  readonly activeDeadlineSeconds?: number;
  readonly startDeadlineSeconds?: number;
  readonly maxAttempts?: number;
  readonly ttlSecondsAfterFinished?: { readonly succeeded?: number; readonly failed?: number };
  readonly priorityClassName?: string;
  readonly resources?: {
    readonly requests?: Quantities;
    readonly limits?: Quantities;
  };
  readonly queueName?: string;
  readonly onConflict?: OnConflict;
  /** Whether the result contains the SHA-256 of the archive. */
  readonly sha256?: boolean;
  readonly portableNames?: PortableNames;
  /** Absent: `refuse`. */
  readonly duplicateNames?: DuplicateNames;
  /** Whether sources are requested strictly one after another, each once unless it fails. Absent: the operator's default. */
  readonly sequential?: boolean;
  readonly objectOptions?: ChosenObjectOptions;
  /** A copy of the project's webhook at creation. Later edits do not affect existing jobs, except that nothing is sent to an endpoint that was removed. */
  readonly webhook?: JobEndpoint & {
    readonly endpoints?: readonly (JobEndpoint & { readonly name: string })[];
  };
  readonly suspend?: boolean;
  readonly cancel?: boolean;
}

/** Defaults that the API server writes for omitted fields of a spec. */
export const SPEC_DEFAULTS = {
  service: 's3',
  metadata: '{}',
  compression: 'store',
  onSourceError: 'Fail',
  startDeadlineSeconds: 600,
  maxAttempts: 4,
  onConflict: 'replace',
  sha256: false,
  portableNames: 'keep',
  manifestFormat: 'json',
  objectOptions: {},
  suspend: false,
  cancel: false,
} as const satisfies Partial<ZipJobSpec>;

export interface Progress {
  readonly podUid: string;
  readonly filesTotal: number;
  readonly filesDone: number;
  readonly bytesRead: number;
  readonly bytesUploaded: number;
  /** Index of the current entry in the file list. */
  readonly currentFile?: number;
  /** Bytes of the sources whose length is known so far; absent once `bytesTotal` is there. */
  readonly bytesKnown?: number;
  /** Bytes of all sources, once the length of every source is known. */
  readonly bytesTotal?: number;
  /** Bytes read per second, averaged over 30 seconds, or since the last write if that is longer ago. */
  readonly bytesPerSecond?: number;
  /** Estimated time at which the last source is read, if the rate and the average file size stay the same. */
  readonly estimatedEndAt?: string;
  /** `filesDone/filesTotal`, for the column Files. */
  readonly display: string;
  /** Of the sources, such as `40%`, for the column Progress. */
  readonly percent?: string;
  /** `bytesUploaded` with a unit, for the column Size, and that of the whole archive once it is known: `1.5 GiB of 4.0 GiB`. */
  readonly size?: string;
  readonly updatedAt: string;
}

/** What an archive contains, as far as it is known before it is published. */
export type ArchiveContents = Pick<
  ZipResult,
  | 'bytes'
  | 'entries'
  | 'skipped'
  | 'skippedCodes'
  | 'lengthUnverified'
  | 'contentEncoded'
  | 'renamed'
  | 'sha256'
>;

export interface AttemptUpload {
  readonly uploadId: string;
  /** podUid of the pod that created the upload, which is in the metadata of its object. Absent: the pod that recorded it. */
  readonly owner?: string;
  /**
   * `open`: nothing can be published once the pod is no longer active. `committing`: CompleteMultipartUpload may have been sent.
   * `discarded`: the pod does not continue the upload of an earlier one, and aborts it.
   */
  readonly state: UploadStage;
  readonly partSize: number;
  readonly parts?: number;
  /** Sequence of the newest checkpoint from which another pod can continue the upload. Absent: there is none. */
  readonly checkpoint?: number;
}

export const UPLOAD_STAGES = ['open', 'committing', 'discarded'] as const;
export type UploadStage = (typeof UPLOAD_STAGES)[number];

/** Why a pod did not continue the upload of an earlier one. */
export const RESUME_REFUSALS = {
  NoCheckpoint: 'The checkpoint is missing, or names another upload.',
  OtherPlan: 'The checkpoint is of another plan, for example after an upgrade.',
  UploadGone: 'The store no longer has the upload.',
  PartsHidden: 'The credentials may not list the parts of the upload (s3:ListMultipartUploadParts).',
  PartsDiffer:
    'The ETags of the store say nothing about the bytes of a part, and the earlier pod may still send one.',
  LayoutChanged:
    'A source has another length than before, or may be stored in another form, so everything after it would move.',
  SingleUse:
    'A file of which only a part is in the store would have to be requested again, but its URL may work only once.',
} as const;
export type ResumeRefusal = keyof typeof RESUME_REFUSALS;

export interface UploadState extends AttemptUpload {
  /** Recorded with `committing`, for an attempt that is lost before it writes its result. */
  readonly archive?: ArchiveContents;
  /** Recorded with `committing`: SHA-256 (hex) of the numbers and ETags of all parts, by which recovery knows them again. */
  readonly partsDigest?: string;
  /** Parts of earlier pods that this one did not make again, and their bytes. Absent: it does not continue an upload. */
  readonly resumedParts?: number;
  readonly resumedBytes?: number;
  /** Why this upload does not continue the one of an earlier pod. */
  readonly refusal?: ResumeRefusal;
  /** Checkpoints that could not be written. Absent: none. */
  readonly checkpointFailures?: number;
}

/** The upload of an earlier pod that the next one is to continue. */
export interface InheritedUpload {
  readonly uploadId: string;
  readonly owner: string;
  readonly partSize: number;
  /** Sequence of its newest checkpoint that is known. */
  readonly checkpoint: number;
  /** Pods that have continued it so far. */
  readonly resumes: number;
  /** The pod that continues it now. */
  readonly adoptedBy?: string;
}

/** One run of a zipper pod. The last ten are kept. */
export interface Attempt {
  readonly n: number;
  readonly podUid: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly exitCode?: number;
  readonly class?: AttemptClass;
  readonly reason?: string;
  readonly message?: string;
  readonly upload?: AttemptUpload;
  /** The zipper aborted the upload itself, and the store confirmed that it is gone: there is nothing to recover. */
  readonly uploadAborted?: boolean;
  /** Number of uploads of the attempt that could not be aborted or found. Absent: none. */
  readonly abortFailures?: number;
  /** Seconds that its recovery Jobs were suspended in a queue, except the last one. They do not count against the limit of recovery. */
  readonly queuedSeconds?: number;
  /** Until when a recovery pod may have asked the store to publish the archive. Absent: none did. */
  readonly completeSentAt?: string;
  /** Parts of earlier attempts that it did not make again, and their bytes. Absent: it did not continue an upload. */
  readonly resumedParts?: number;
  readonly resumedBytes?: number;
  /** Why it did not continue the upload of an earlier attempt. */
  readonly refusal?: ResumeRefusal;
}

/** permanent: a retry cannot help. transient: counted by the Job. disruption: not counted. oom: counted separately. */
export type AttemptClass = 'success' | 'permanent' | 'transient' | 'disruption' | 'oom' | 'superseded';
/** Classes that count against `maxAttempts`. */
export const COUNTED_CLASSES = ['transient', 'oom', 'superseded'] as const satisfies readonly AttemptClass[];

export interface WebhookDelivery {
  readonly at: string;
  readonly durationMs: number;
  /** Size of the request body. Absent for a test event that was not sent, because the project has no URL. */
  readonly bytes?: number;
  /** Number of the attempt, from 1; a resend starts again at 1. Absent for a test event. */
  readonly attempt?: number;
  /** HTTP status. Absent without a response. */
  readonly status?: number;
  /** Class of the outcome without a response, such as `timeout`. */
  readonly error?: string;
}

export interface WebhookState {
  readonly state: 'Pending' | 'Delivered' | 'Exhausted' | 'NotConfigured';
  readonly deliveryId?: string;
  readonly attempts?: number;
  readonly lastStatus?: number;
  readonly nextAttemptAt?: string;
  readonly deliveredAt?: string;
  /** Nonce of the last executed replay. */
  readonly replayNonce?: string;
  readonly log?: readonly WebhookDelivery[];
}

/** Delivery to an endpoint with a name. */
export interface NamedWebhookState extends WebhookState {
  readonly name: string;
  /** Why it is Exhausted, if not by its attempts. */
  readonly reason?: 'EndpointDisabled' | 'EndpointRemoved';
}

/** Delivery to any endpoint of a job. That to the default one has no `reason`. */
export type EndpointDelivery = Omit<NamedWebhookState, 'name'>;

/** Delivery of the event: to the default endpoint, and to each of the others that the job has. */
export interface JobWebhookState extends WebhookState {
  readonly endpoints?: readonly NamedWebhookState[];
}

/** Fields of the status that the controller owns. */
export interface ControllerStatus {
  readonly observedGeneration?: number;
  readonly phase?: Phase;
  readonly reason?: string;
  readonly message?: string;
  readonly apiStatus?: ApiStatus;
  readonly acceptedAt?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly duration?: string;
  readonly job?: {
    readonly name: string;
    readonly uid: string;
    readonly podName?: string;
    /** The active pod: only this pod may write the zipper's fields, and only until the job is finished. */
    readonly podUid?: string;
    readonly node?: string;
  };
  readonly attempts?: readonly Attempt[];
  /** Seconds between two progress writes of the active pod, while many jobs run. Absent: the zipper's own setting. */
  readonly progressIntervalSeconds?: number;
  /** Number of started attempts: pods that were activated, and pods that ended before that. */
  readonly attemptsTotal?: number;
  /** A ZipCheckpoint of the same name exists, in which the active pod records how to continue its upload. */
  readonly checkpointed?: boolean;
  /** Kept until a result, the recovery of this upload, or another upload. */
  readonly inherits?: InheritedUpload;
  readonly webhook?: JobWebhookState;
  readonly conditions?: readonly Condition[];
}

/** Fields of the status that the zipper owns. */
export interface ZipperStatus {
  readonly progress?: Progress;
  readonly upload?: UploadState;
  readonly result?: ZipResult;
  readonly failure?: Failure;
  readonly sourceCheck?: SourceCheck;
}

export type ZipJobStatus = ControllerStatus & ZipperStatus;

export interface ZipJob {
  readonly apiVersion: typeof GROUP_VERSION;
  readonly kind: 'ZipJob';
  readonly metadata: ObjectMeta;
  readonly spec: ZipJobSpec;
  readonly status?: ZipJobStatus;
}

/** Field selector of the jobs that are not finished. */
export const UNFINISHED = TERMINAL_PHASES.map((phase) => `status.phase!=${phase}`).join(',');

/** True in a phase that never changes again. */
export function isFinished(job: { readonly status?: Pick<ZipJobStatus, 'phase'> }): boolean {
  return TERMINAL_PHASES.some((phase) => phase === job.status?.phase);
}

/** True from the activation of a pod until it is deactivated, or until it is gone after it finished the job. */
export function hasActivePod(job: { readonly status?: Pick<ZipJobStatus, 'job'> }): boolean {
  return job.status?.job?.podUid !== undefined;
}

/** The status in API responses; `none` for a job that was never reconciled. */
export function apiStatusOf(phase: Phase | undefined): ApiStatus {
  switch (phase) {
    case undefined:
    case 'Queued':
    case 'Starting':
      return 'none';
    case 'Running':
    case 'Finalizing':
      return 'processing';
    case 'Succeeded':
      return 'succeeded';
    case 'Failed':
    case 'Cancelled':
      return 'failed';
  }
}

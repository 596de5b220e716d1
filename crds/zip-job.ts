import type { GROUP_VERSION } from './api-group.ts';
import type { Condition } from './conditions.ts';
import type { ObjectMeta } from './object-meta.ts';
import type { Failure, ZipResult } from './zip-outcome.ts';

export type { Failure, ZipResult } from './zip-outcome.ts';

export const SERVICES = ['s3', 'r2'] as const;
export type Service = (typeof SERVICES)[number];

/**
 * Queued: waiting for a slot, an older job of the same key, or `suspend: false`. Starting: its Job exists.
 * Running: the active pod has written its first progress. Finalizing: the outcome is known, cleaning up.
 * The last three never change again; the API server enforces that.
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
/** Of a source that fails. Fail: the job fails. Skip: it is left out. Placeholder: a short text takes its place. */
export const ON_SOURCE_ERRORS = ['Fail', 'Skip', 'Placeholder'] as const;
export type OnSourceError = (typeof ON_SOURCE_ERRORS)[number];
export const ON_CONFLICTS = ['replace', 'fail'] as const;
export type OnConflict = (typeof ON_CONFLICTS)[number];
/** Of names that some systems cannot hold, or cannot hold side by side. */
export const PORTABLE_NAMES = ['keep', 'refuse', 'rewrite'] as const;
export type PortableNames = (typeof PORTABLE_NAMES)[number];
export const WEBHOOK_EVENTS = ['COMPLETED', 'FAILED'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** One source: where it is fetched and the name of its entry in the archive. */
export interface FileEntry {
  readonly url: string;
  readonly filename: string;
}

/** A source of a list that stands in Secrets. Its headers may be credentials, so the ZipJob itself never has them. */
export interface ListedFile extends FileEntry {
  /** Further request headers, for the URL's own origin only. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where the list stands when it is not inline: gzipped JSON lines in Secrets that the ZipJob owns. */
export interface FilesFrom {
  readonly secretNames: readonly string[];
  readonly encoding: 'gzip+json';
  readonly count: number;
  /** SHA-256 (hex) of all lines of all chunks, uncompressed and in order. */
  readonly sha256: string;
}

export interface ZipJobSpec {
  readonly bucketRef: { readonly name: string };
  readonly service?: Service;
  /** Object key of the archive: 1 to 1,024 bytes of UTF-8. */
  readonly key: string;
  readonly files?: readonly FileEntry[];
  readonly filesFrom?: FilesFrom;
  /** The caller's JSON object as text, never re-serialised. */
  readonly metadata?: string;
  readonly compression?: Compression;
  readonly onSourceError?: OnSourceError;
  /** Name of a manifest entry that is written last; none when absent. */
  readonly manifestEntry?: string;
  /** RFC 3339; gives every entry this time, so that the same inputs give the same bytes. */
  readonly fixedModificationTime?: string;
  readonly activeDeadlineSeconds?: number;
  readonly startDeadlineSeconds?: number;
  readonly maxAttempts?: number;
  readonly ttlSecondsAfterFinished?: { readonly succeeded?: number; readonly failed?: number };
  readonly priorityClassName?: string;
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  readonly queueName?: string;
  readonly onConflict?: OnConflict;
  /** Whether the result contains the SHA-256 of the archive. */
  readonly sha256?: boolean;
  readonly portableNames?: PortableNames;
  /** The project's webhook at creation: later edits do not redirect jobs that exist. */
  readonly webhook?: { readonly url: string; readonly events: readonly WebhookEvent[] };
  readonly suspend?: boolean;
  readonly cancel?: boolean;
}

/** What the API server writes into a spec that leaves the field out. */
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
  suspend: false,
  cancel: false,
} as const satisfies Partial<ZipJobSpec>;

export interface Progress {
  readonly podUid: string;
  readonly filesTotal: number;
  readonly filesDone: number;
  readonly bytesRead: number;
  readonly bytesUploaded: number;
  /** Index in the file list of the entry that is being written. */
  readonly currentFile?: number;
  /** Bytes of all sources; told once every source has told its length. */
  readonly bytesTotal?: number;
  /** Bytes read a second, over the last half minute. */
  readonly bytesPerSecond?: number;
  /** When the last source will have been read at this pace, the files to come taken for as large as those so far. */
  readonly estimatedEndAt?: string;
  /** `filesDone/filesTotal`, for the Files column. */
  readonly display: string;
  readonly updatedAt: string;
}

export interface UploadState {
  readonly uploadId: string;
  /** `open`: nothing can be published any more once the pod is not active. `committing`: Complete may have been sent. */
  readonly state: 'open' | 'committing';
  readonly partSize: number;
  readonly parts?: number;
}

/** One run of a zipper pod; the last ten are kept. */
export interface Attempt {
  readonly n: number;
  readonly podUid: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly exitCode?: number;
  readonly class?: AttemptClass;
  readonly reason?: string;
  readonly message?: string;
  readonly upload?: UploadState;
  /** Number of uploads of the attempt that could not be aborted or found. Absent: none. */
  readonly abortFailures?: number;
}

/** permanent: trying again cannot help. transient: counted by the Job. disruption: not counted. oom: counted apart. */
export type AttemptClass = 'success' | 'permanent' | 'transient' | 'disruption' | 'oom' | 'superseded';

export interface WebhookDelivery {
  readonly at: string;
  readonly durationMs: number;
  /** HTTP status; absent when no answer came. */
  readonly status?: number;
  /** Class of the outcome when no answer came, such as `timeout`. */
  readonly error?: string;
}

export interface WebhookState {
  readonly state: 'Pending' | 'Delivered' | 'Exhausted' | 'NotConfigured';
  readonly deliveryId?: string;
  readonly attempts?: number;
  readonly lastStatus?: number;
  readonly nextAttemptAt?: string;
  readonly deliveredAt?: string;
  /** Nonce of the last replay that was carried out. */
  readonly replayNonce?: string;
  readonly log?: readonly WebhookDelivery[];
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
    /** The active pod: only this pod may write the zipper's fields. */
    readonly podUid?: string;
    readonly node?: string;
  };
  readonly attempts?: readonly Attempt[];
  /** Number of started attempts: pods that were activated, and pods that ended before that. */
  readonly attemptsTotal?: number;
  readonly webhook?: WebhookState;
  readonly conditions?: readonly Condition[];
}

/** Fields of the status that the zipper owns. */
export interface ZipperStatus {
  readonly progress?: Progress;
  readonly upload?: UploadState;
  readonly result?: ZipResult;
  readonly failure?: Failure;
}

export type ZipJobStatus = ControllerStatus & ZipperStatus;

export interface ZipJob {
  readonly apiVersion: typeof GROUP_VERSION;
  readonly kind: 'ZipJob';
  readonly metadata: ObjectMeta;
  readonly spec: ZipJobSpec;
  readonly status?: ZipJobStatus;
}

/** True when the phase is one that never changes again. */
export const isFinished = (job: { readonly status?: Pick<ZipJobStatus, 'phase'> }): boolean =>
  TERMINAL_PHASES.some((phase) => phase === job.status?.phase);

/** The status of a phase in API responses; `none` for a job that was not reconciled yet. */
export const apiStatusOf = (phase: Phase | undefined): ApiStatus => {
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
};

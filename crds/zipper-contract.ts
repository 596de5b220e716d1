/**
 * The contract between the controller and a zipper pod. zipper-task.ts and termination-message.ts define its two documents.
 *
 * Input: one JSON document, the ZipperTask, in the pod annotation `zipjobs.dev/task`, mounted by the downward API (names,
 * labels and env never contain caller text); the bucket's Secret mounted as files, or a token for the bucket's token service; the
 * file list's Secrets mounted as files; an `archive` pod also has a token of the API server's own audience. A `recover` and a
 * `check-bucket` pod have none.
 *
 * Output: an `archive` pod applies `progress`, `upload`, `result`, `failure` and `sourceCheck` to the ZipJob's status; every
 * pod ends with an exit code of the classes below and one JSON document, the TerminationMessage, as its termination message.
 */
export const CONTRACT_VERSION = 1 as const;

export const ZIPPER_MODES = ['archive', 'recover', 'check-bucket'] as const;
export type ZipperMode = (typeof ZIPPER_MODES)[number];

/**
 * In the messages with which the chart's policy `zipper-status` refuses a pod that is not, or no longer, active. No other refusal
 * of the API server ends an attempt at once.
 */
export const NOT_ACTIVE_MARK = '[zipjobs.dev/not-active]';

/** Object metadata key (without `x-amz-meta-`) with the attempt (podUid) that wrote the archive. */
export const ATTEMPT_METADATA_KEY = 'zip-attempt';

/** Env of a zipper pod: paths and the pod's own identity. Everything about the job is in the task. */
export const ZIPPER_ENV = {
  taskFile: 'TASK_FILE',
  bucketDir: 'BUCKET_DIR',
  filesDir: 'FILES_DIR',
  serviceAccountDir: 'SERVICE_ACCOUNT_DIR',
  terminationLog: 'TERMINATION_LOG',
  podName: 'POD_NAME',
  podUid: 'POD_UID',
  /** W3C trace context of the request. OpenTelemetry tools read this name. */
  traceparent: 'TRACEPARENT',
  /** PEM of the operator's certificate authorities that are not public ones. */
  trustBundle: 'TRUST_BUNDLE',
} as const;

/** Mount paths in a zipper pod. The env above contains the same paths. */
export const ZIPPER_PATHS = {
  taskDir: '/etc/zipjobs/task',
  taskFile: '/etc/zipjobs/task/task.json',
  bucketDir: '/etc/zipjobs/bucket',
  filesDir: '/etc/zipjobs/files',
  serviceAccountDir: '/var/run/secrets/kubernetes.io/serviceaccount',
  terminationLog: '/dev/termination-log',
} as const;

/** Keys of a bucket's Secret; each is a file in BUCKET_DIR. Only temporary credentials have a `sessionToken`. */
export const BUCKET_SECRET_KEYS = {
  accessKeyId: 'accessKeyId',
  secretAccessKey: 'secretAccessKey',
  sessionToken: 'sessionToken',
} as const;
/** The token of a bucket with `webIdentity`: the only file in BUCKET_DIR. */
export const BUCKET_TOKEN_FILE = 'token';
/** Key of a file-list Secret, mounted as `<n>.jsonl.gz` in FILES_DIR. */
export const FILE_LIST_SECRET_KEY = 'files.jsonl.gz';

export function fileListMountName(index: number): string {
  return `${index}.jsonl.gz`;
}

/** Exit codes: 0 success; 10 to 29 permanent (the Job fails immediately); 30 to 49 transient (another attempt may help). */
export const EXIT_CODES = {
  ok: 0,
  invalidTask: 10,
  sourceFailed: 12,
  bucketRefused: 13,
  archiveLimit: 14,
  conflict: 15,
  internal: 30,
  sourceUnavailable: 31,
  storeUnavailable: 32,
  apiServerUnavailable: 33,
  notActive: 34,
  terminated: 35,
  outcomeUnknown: 36,
  superseded: 37,
} as const;
export type ExitName = keyof typeof EXIT_CODES;

/** All permanent codes, also those that no zipper of this version uses. */
export const PERMANENT_EXIT_CODES: readonly number[] = Array.from({ length: 20 }, (_, index) => 10 + index);

export function isPermanentExit(code: number): boolean {
  return PERMANENT_EXIT_CODES.includes(code);
}

/**
 * Values of status.failure.code, each with a message and an exit code. `retriableExit` is that of a failure after which another
 * attempt may help, if that differs.
 */
export const FAILURE_CODES = {
  InvalidTask: {
    exit: 'invalidTask',
    text: 'The task or the file list is invalid, or does not match the version of the zipper.',
  },
  FileListMismatch: {
    exit: 'invalidTask',
    text: 'The file list does not match the digest or count in the ZipJob.',
  },
  SourceUnreachable: { exit: 'sourceUnavailable', text: 'A source could not be reached.' },
  SourceNotFound: {
    exit: 'sourceFailed',
    text: 'A source responded with a status that a retry does not change.',
  },
  SourceUnavailable: {
    exit: 'sourceUnavailable',
    text: 'A source stayed unavailable after all retries, or its host throttled every request.',
  },
  SourceTruncated: { exit: 'sourceUnavailable', text: 'A source ended before its declared length.' },
  SourceChanged: {
    exit: 'sourceUnavailable',
    text: 'A source changed during the download.',
  },
  SourceExpired: {
    exit: 'sourceFailed',
    text: 'The signature in the URL of a source, or its credentials, have expired.',
  },
  SourceStalled: { exit: 'sourceUnavailable', text: 'A source sent no data, or sent it too slowly.' },
  SourceTooLarge: { exit: 'archiveLimit', text: 'A source exceeds the maximum file size.' },
  SourceMismatch: {
    exit: 'sourceFailed',
    retriableExit: 'sourceUnavailable',
    text: 'A file differs from the size, checksum or media type that is stated for it.',
  },
  SourceInvalid: { exit: 'sourceFailed', text: 'A source responded with something other than a file.' },
  SourceProxyAuthenticationRequired: {
    exit: 'sourceUnavailable',
    text: "The proxy for sources does not accept the operator's credentials.",
  },
  SourceProxyForbidden: {
    exit: 'sourceFailed',
    text: 'The proxy for sources refused to connect to a source.',
  },
  SourceTlsError: { exit: 'sourceFailed', text: 'The certificate of a source is not valid.' },
  ArchiveTooLarge: { exit: 'archiveLimit', text: 'The archive would exceed its maximum size.' },
  BucketNotFound: { exit: 'bucketRefused', text: 'The bucket does not exist at the provider.' },
  BucketAccessDenied: { exit: 'bucketRefused', text: 'The credentials do not permit writing to the bucket.' },
  BucketCredentialsInvalid: {
    exit: 'bucketRefused',
    text: 'The provider does not recognize the credentials or rejects their signature.',
  },
  BucketMisconfigured: {
    exit: 'bucketRefused',
    text: 'The region, host, endpoint or object options do not match the bucket.',
  },
  StoreProxyAuthenticationRequired: {
    exit: 'storeUnavailable',
    text: "The proxy for stores does not accept the operator's credentials.",
  },
  StoreProxyForbidden: {
    exit: 'bucketRefused',
    text: 'The proxy for stores refused to connect to the store.',
  },
  StoreUnavailable: { exit: 'storeUnavailable', text: 'The store stayed unavailable after all retries.' },
  StoreCorrupted: { exit: 'storeUnavailable', text: 'The stored data differs from the data sent.' },
  ObjectExists: { exit: 'conflict', text: 'An object exists at the key and must not be replaced.' },
  OutcomeUnknown: {
    exit: 'outcomeUnknown',
    text: 'The store does not reveal whether the archive was published.',
  },
  Superseded: { exit: 'superseded', text: 'Another pod is the active pod of this job.' },
  NotActive: { exit: 'notActive', text: 'The pod was not activated in time.' },
  ApiServerUnavailable: {
    exit: 'apiServerUnavailable',
    text: 'The API server could not be reached in time.',
  },
  Terminated: { exit: 'terminated', text: 'The pod was asked to stop.' },
  Internal: { exit: 'internal', text: 'The zipper failed with an unexpected error. See its log.' },
} as const satisfies Record<string, { exit: ExitName; retriableExit?: ExitName; text: string }>;
export type FailureCode = keyof typeof FAILURE_CODES;

/**
 * The contract between the controller and a zipper pod. zipper-task.ts and termination-message.ts define its two documents.
 *
 * Input: one JSON document, the ZipperTask, in the pod annotation `zipjobs.dev/task`, mounted by the downward API (names,
 * labels and env never contain caller text); the bucket's Secret mounted as files, or a token for the bucket's token service, and
 * the same of each source bucket; the file list's Secrets mounted as files; an `archive` pod also has a token of the API server's own audience. A `recover` and a
 * `check-bucket` pod have none.
 *
 * Output: an `archive` pod applies `progress`, `upload`, `result`, `failure` and `sourceCheck` to the ZipJob's status; every
 * pod ends with an exit code of the classes below and one JSON document, the TerminationMessage, as its termination message.
 */
export const CONTRACT_VERSION = 1 as const;

export const ZIPPER_MODES = ['archive', 'recover', 'check-bucket'] as const;
export type ZipperMode = (typeof ZIPPER_MODES)[number];

/** Object metadata key (without `x-amz-meta-`) with the attempt (podUid) that wrote the archive. */
export const ATTEMPT_METADATA_KEY = 'zip-attempt';

/** Env of a zipper pod: paths and the pod's own identity. Everything about the job is in the task. */
export const ZIPPER_ENV = {
  taskFile: 'TASK_FILE',
  bucketDir: 'BUCKET_DIR',
  sourcesDir: 'SOURCES_DIR',
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
  sourcesDir: '/etc/zipjobs/sources',
  filesDir: '/etc/zipjobs/files',
  serviceAccountDir: '/var/run/secrets/kubernetes.io/serviceaccount',
  terminationLog: '/dev/termination-log',
} as const;

/** Keys of a bucket's Secret; each is a file in BUCKET_DIR, or in SOURCES_DIR/<n> for source bucket n of the task. Only temporary credentials have a `sessionToken`. */
export const BUCKET_SECRET_KEYS = {
  accessKeyId: 'accessKeyId',
  secretAccessKey: 'secretAccessKey',
  sessionToken: 'sessionToken',
} as const;
/** The token of a bucket with `webIdentity`: the only file in BUCKET_DIR, or in SOURCES_DIR/<n>. */
export const BUCKET_TOKEN_FILE = 'token';
/** Key of a file-list Secret, mounted as `<n>.jsonl.gz` in FILES_DIR. */
export const FILE_LIST_SECRET_KEY = 'files.jsonl.gz';

export function fileListMountName(index: number): string {
  return `${index}.jsonl.gz`;
}

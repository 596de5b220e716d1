/** Names of the API group and of everything that is stamped onto objects. Declared once; the YAML of this folder repeats them and a test compares. */
export const API_GROUP = 'zipjobs.dev';
export const API_VERSION = 'v1alpha1';
export const GROUP_VERSION = `${API_GROUP}/${API_VERSION}`;

/** Lower-case plural of each kind, as it stands in URLs and RBAC rules. */
export const PLURALS = {
  ZipJob: 'zipjobs',
  ZipBucket: 'zipbuckets',
  ZipToken: 'ziptokens',
  ZipProject: 'zipprojects',
} as const;

export type Kind = keyof typeof PLURALS;

/**
 * Keeps a ZipJob until its Job is gone and its last attempt is recovered, a ZipBucket while unfinished ZipJobs name it, and a
 * ZipProject while its namespace holds unfinished ZipJobs or ZipBuckets.
 */
export const FINALIZER = 'zipjobs.dev/cleanup';

/** Field managers of server-side apply. Each always sends its full set of fields: an apply drops owned fields that it omits. */
export const FIELD_MANAGERS = {
  api: 'zipjobs-api',
  controller: 'zipjobs-controller',
  zipper: 'zipjobs-zipper',
} as const;

export const ANNOTATIONS = {
  /** RFC 3339 time at which the API accepted the request. */
  acceptedAt: 'zipjobs.dev/accepted-at',
  /** SHA-256 (hex) of the request as the API understood it. */
  requestSha256: 'zipjobs.dev/request-sha256',
  /** Name of the ZipToken that created the job. */
  createdBy: 'zipjobs.dev/created-by',
  /** The request id that the caller sent or the API made. */
  requestId: 'zipjobs.dev/request-id',
  /** W3C trace context of the request. */
  traceparent: 'zipjobs.dev/traceparent',
  /** Compressed bytes of the file list in its Secrets. */
  fileListBytes: 'zipjobs.dev/file-list-bytes',
  /** RFC 3339 time at which the Secrets of the file list were deleted. */
  fileListDeletedAt: 'zipjobs.dev/file-list-deleted-at',
  /** Name of the ZipJob that this one runs again. */
  runAgainOf: 'zipjobs.dev/run-again-of',
  /** On a Job: name of the ZipJob whose file list it mounts, when that is not its own. */
  fileListOf: 'zipjobs.dev/file-list-of',
  /** Commands: the value is a nonce, which the status repeats once the command has been carried out. */
  replayWebhook: 'zipjobs.dev/replay-webhook',
  testWebhook: 'zipjobs.dev/test-webhook',
  enableWebhook: 'zipjobs.dev/enable-webhook',
  testBucket: 'zipjobs.dev/test-bucket',
  /** On a ZipBucket: its deletion does not wait for unfinished jobs, which fail. */
  forceDelete: 'zipjobs.dev/force-delete',
  /** On the Lease of the controller: while it is set, no job starts; its value is the reason. */
  paused: 'zipjobs.dev/paused',
  /** On a zipper pod: its ZipperTask as JSON (see zipper-contract.ts). */
  task: 'zipjobs.dev/task',
} as const;

export const LABELS = {
  name: 'app.kubernetes.io/name',
  instance: 'app.kubernetes.io/instance',
  component: 'app.kubernetes.io/component',
  partOf: 'app.kubernetes.io/part-of',
  managedBy: 'app.kubernetes.io/managed-by',
  /** Kueue's: the LocalQueue that admits a Job. */
  queueName: 'kueue.x-k8s.io/queue-name',
} as const;

/** The one ZipProject of a namespace; a namespace without it is no project. */
export const PROJECT_NAME = 'project';
/** Key of a namespace's project in a cache or a queue. */
export const projectKey = (namespace: string): string => `${namespace}/${PROJECT_NAME}`;
/** Secret of a project that holds its webhook signing keys: `current`, `previous`, `previousUntil`. */
export const WEBHOOK_SECRET_NAME = 'zipjobs-webhook';
/** Service account (and cluster role) of the zipper in every project namespace. */
export const ZIPPER_SERVICE_ACCOUNT = 'zipjobs-zipper';
/** Name of the container that runs the zipper image. */
export const ZIPPER_CONTAINER = 'zipper';

/** Longest name that a ZipJob may have: its child objects add suffixes and must stay within 63 characters. */
export const MAX_ZIP_JOB_NAME_LENGTH = 52;

/** Name of the ZipBucket for a (service, bucket) pair: unique in a project, so that a look-up is a get. */
export const bucketResourceName = (service: string, bucketName: string): string => `${service}-${bucketName}`;
/** Name of the Secret with a bucket's credentials; derived, so that no resource names a Secret freely. */
export const bucketSecretName = (zipBucketName: string): string => `zipbucket-${zipBucketName}`;
/** Name of the n-th Secret (from 0) that holds a part of a job's file list. */
export const fileListSecretName = (zipJobName: string, index: number): string =>
  `${zipJobName}-files-${index}`;
/**
 * Name of the ZipJob whose list these Secrets hold: of a job that is run again it is the first one's. Undefined when they are
 * not named for one ZipJob, in order.
 */
export const fileListOwner = (secretNames: readonly string[]): string | undefined => {
  const owner = secretNames[0]?.replace(/-files-0$/, '') ?? '';
  const isOneList = secretNames.every((name, index) => name === fileListSecretName(owner, index));
  return owner !== '' && isOneList ? owner : undefined;
};
/** Name of the ZipJob that the API makes for a uuid. */
export const zipJobName = (uuid: string): string => `zip-${uuid}`;

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** Every condition type with the meaning of `True`. */
export const CONDITION_TYPES = {
  Accepted:
    'ZipJob: its ZipBucket exists and spec.metadata is a JSON object; the job can run. ZipToken: the API accepts the token.',
  JobCreated: 'The Kubernetes Job of this archive exists.',
  Running: 'The active zipper pod reports progress.',
  Complete: 'The archive is in the bucket.',
  Failed: 'The job ended without an archive.',
  Suspended: 'spec.suspend keeps the job in the queue.',
  Waiting: 'The job waits for something outside zipjobs; see the reason.',
  Recovered: 'Recovery is complete: no attempt of this job can publish an archive any more.',
  Notified: 'The webhook was delivered, or none is configured.',
  Stalled: 'The job makes no further progress without intervention.',
  RecoveryLimited: 'The credentials of the bucket lack a permission that recovery needs.',
  Archived: 'The history database has the finished job.',
  HistoryPurged: 'The last deletion of all records of the project from the history is complete.',
  Held: 'ZipBucket: its store does not respond, so one job at a time tries it and the others wait.',
  ObjectsLeftOut:
    'ZipProject: the namespace has more objects than the controller keeps in memory, so it ignores some.',
  ObjectsRefused: 'ZipProject: an admission policy of the cluster refuses objects that its jobs need.',
  Ready:
    'ZipJob: the same as Complete. ZipBucket: the last test succeeded. ZipProject: zippers can run in the project.',
} as const;
export type ConditionType = keyof typeof CONDITION_TYPES;

/** Every reason that the controller and the API report, with its default message. The zipper's failure codes are in zipper-contract.ts. */
export const REASONS = {
  Accepted: 'The request was accepted.',
  TokenAccepted: 'The API accepts the token.',
  TooManyTokens:
    'The project has more than 500 access tokens. The API accepts the oldest ones: delete tokens that nobody uses.',
  TooManyWithMask:
    'Too many access tokens have these first and last characters. The API accepts the oldest ones: create another token.',
  Queued: 'The job is queued.',
  OlderJobFirst: 'An older job writes the same key of the same bucket.',
  SlotsTaken: 'A limit on running jobs is reached.',
  Suspended: 'The job is suspended by spec.suspend.',
  Unsuspended: 'The job is no longer suspended.',
  JobCreated: 'The Kubernetes Job was created.',
  PodStarting: 'A zipper pod is starting.',
  PodActive: 'A zipper pod was activated.',
  Running: 'The zipper downloads files and uploads the archive.',
  Uploaded: 'The archive was uploaded and verified.',
  VerifiedInStore: 'No result was recorded, but the bucket contains the complete archive of the attempt.',
  BucketNotFound: 'The ZipBucket does not exist in the project.',
  BucketTerminating: 'The ZipBucket is being deleted and accepts no new jobs.',
  BucketDeleted: 'The ZipBucket was deleted while the job was unfinished.',
  SourceBucketNotFound: 'A ZipBucket of spec.sourceBuckets does not exist in the project.',
  SourceBucketNotReadable: 'A ZipBucket of spec.sourceBuckets does not have spec.readable.',
  SourceBucketDeleted: 'A ZipBucket of spec.sourceBuckets was deleted while the job was unfinished.',
  ProjectNotFound: 'The namespace has no ZipProject.',
  InvalidFileList: 'spec.filesFrom does not name a valid file list for this job.',
  InvalidMetadata: 'spec.metadata is not a JSON object.',
  NameConflict: 'Another Job already has the name of this ZipJob.',
  JobDeleted: 'Another client deleted the Kubernetes Job of this archive.',
  StartDeadlineExceeded: 'No zipper started before the start deadline.',
  DeadlineExceeded: 'The job exceeded its deadline.',
  BackoffLimitExceeded: 'All allowed attempts failed.',
  OutOfMemory: 'The zipper ran out of memory twice.',
  TooManyDisruptions: 'The zipper was disrupted too often.',
  ResultMissing:
    'The zipper succeeded without reporting a result, and the bucket does not contain its archive.',
  ResultInvalid: 'The result of the zipper does not match the request.',
  OutcomeUnknown:
    'The attempt was interrupted during commit, and the store does not reveal whether the archive was published.',
  Cancelled: 'The job was cancelled by spec.cancel.',
  Deleted: 'The ZipJob is being deleted.',
  Restored: 'The ZipJob was restored from a backup, so its archive may exist and it does not run again.',
  Recovering:
    'Recovering the last attempt: its upload is completed, or ended so that no archive appears later.',
  Recovered: 'The archive of the last attempt is published, or can no longer appear.',
  Inherited: 'The next pod continues the upload of the last attempt, so nothing is recovered yet.',
  NothingToRecover: 'No upload was started, so no recovery is needed.',
  NotConfigured: 'The project had no webhook for this event when the job was created.',
  Delivered: 'The receiver responded with success.',
  Exhausted: 'All allowed delivery attempts failed.',
  EndpointDisabled: 'The webhook endpoint of the project is disabled. Enable it, then replay the webhook.',
  EndpointRemoved: 'The project no longer has this webhook endpoint, so nothing is sent to it.',
  WebhookPending: 'The webhook has not been delivered yet.',
  AttemptFailed: 'A zipper pod ended without an archive.',
  Succeeded: 'The job succeeded and its archive is in the bucket.',
  Failed: 'The job ended without an archive.',
  WebhookDelivered: 'The webhook receiver responded with success.',
  WebhookFailed: 'A delivery attempt of the webhook failed and will be retried.',
  WebhookExhausted: 'The last allowed delivery attempt of the webhook failed.',
  NoProgress: 'The zipper makes no progress.',
  NodeSilent:
    'The node of the zipper pod does not report whether the pod stopped. The pod will be replaced soon.',
  AwaitingQueue: 'The Job is suspended: its queue has not admitted it yet.',
  Unschedulable: 'No node can run the zipper pod.',
  ImagePull: 'The zipper image cannot be pulled.',
  ContainerConfig: 'The zipper container cannot be created. A Secret may be missing.',
  QuotaExceeded: 'The namespace quota does not allow another pod or Job.',
  AdmissionRefused: 'The API server rejected the Job.',
  NotTested: 'The bucket was not tested yet.',
  BucketTested: 'Archives can be written to the bucket.',
  BucketTestFailed: 'The bucket test ended without a result.',
  AllPermitted: 'The credentials have every permission that recovery needs.',
  ReadForbidden:
    'The credentials cannot read objects, so an attempt interrupted during commit ends as OutcomeUnknown.',
  AbortForbidden:
    'The credentials cannot abort uploads, so parts of failed jobs remain until the lifecycle rule of the bucket removes them, and an attempt interrupted during commit may end as OutcomeUnknown.',
  ListForbidden:
    'The credentials cannot list uploads, so only the lifecycle rule of the bucket removes an upload that was not recorded, and an attempt interrupted during commit may end as OutcomeUnknown.',
  StoreAway:
    'Three attempts in a row ended because the store did not respond. One job at a time tries it, and the others wait.',
  StoreResponds: 'The store responds again.',
  JobsExist: 'The bucket is deleted once no job refers to it, including finished jobs.',
  ProjectDeleting:
    'The ZipProject is being deleted. Its jobs are cancelled, and it waits for its jobs and ZipBuckets.',
  Paused: 'No job starts: all jobs are paused by an annotation on the Lease of the controller.',
  Pending: 'The controller has not reported a status yet. Check that it is running.',
  ProjectReady: 'The project has all objects that its zippers need.',
  ProjectIncomplete: 'An object that the zippers of the project need could not be created.',
  RefusedByPolicy:
    'An admission policy of the cluster refuses an object. If it requires labels or annotations, the administrator sets commonLabels or commonAnnotations of the chart.',
  NoneRefused: 'No admission policy of the cluster refuses an object of the project.',
  TooManyObjects:
    'The namespace has more objects, or larger ones, than the controller keeps in memory. It ignores the others until there is room.',
  AllKept: 'The controller keeps all objects of the namespace in memory.',
  ApiServerBusy: 'The API server is busy. The request will be retried.',
  Archived: 'The history has the job as it is now.',
  ArchiveOutdated: 'The history has the job. It is updated there once the webhook is finished.',
  ArchiveRefused: 'The history database cannot store this job.',
  NotArchived: 'The job was deleted before the history database had it.',
  HistoryPurged: 'The records of the project were deleted from the history.',
  PurgingHistory: 'The records of the project are being deleted from the history.',
  HistoryUnavailable: 'The history database does not respond. The deletion of records will be retried.',
  NoHistory: 'There is no history database, so there are no records to delete.',
} as const;
export type Reason = keyof typeof REASONS;

/** The input of setCondition, which adds times and generation. */
export type ConditionChange = Pick<Condition, 'status' | 'reason' | 'message'> & {
  readonly type: ConditionType;
  readonly observedGeneration?: number;
};

export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: ConditionType,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Returns the list with the change. lastTransitionTime changes only with the status. Keeps the order and appends new types. */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  change: ConditionChange,
  now: Date,
): readonly Condition[] {
  const before = findCondition(conditions, change.type);
  const moved = before?.status !== change.status;
  const next: Condition = { ...change, lastTransitionTime: moved ? rfc3339(now) : before.lastTransitionTime };
  const list = conditions ?? [];
  return before ? list.map((condition) => (condition === before ? next : condition)) : [...list, next];
}

/** Kubernetes' metav1.Time: whole seconds, UTC. */
export function rfc3339(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

const MAX_MESSAGE = 1024;

/** Truncates a status message to 1,024 characters. */
export function shorten(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE - 3)}...`;
}

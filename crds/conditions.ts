export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** Every condition type with what `True` says. */
export const CONDITION_TYPES = {
  Accepted: 'The bucket is known and the metadata is one JSON object; the job will run.',
  JobCreated: 'The Kubernetes Job of this archive exists.',
  Running: 'A zipper pod is in charge and reports progress.',
  Complete: 'The archive is in the bucket.',
  Failed: 'The job ended without an archive.',
  Suspended: 'spec.suspend holds the job in the queue.',
  Waiting: 'Something outside holds the job up; the reason says what.',
  Settled: 'No attempt of this job can publish anything any more.',
  Notified: 'The webhook was delivered, or none is wanted.',
  Stalled: 'Nothing will move this job any more without help.',
  FenceIncomplete: 'The credentials of the bucket lack a permission that helps to resolve lost attempts.',
  Ready:
    'Of a ZipJob the same as Complete, for tools that know no other condition; of a ZipBucket how its last test ended; of a ZipProject that zippers can run.',
} as const;
export type ConditionType = keyof typeof CONDITION_TYPES;

/** Every reason that the controller gives, with its sentence. The zipper's failure codes stand in zipper-contract.ts. */
export const REASONS = {
  Accepted: 'The request was accepted.',
  Queued: 'Waiting for its turn.',
  OlderJobFirst: 'An older job writes the same key of the same bucket.',
  SlotsTaken: 'As many jobs run as may run at once.',
  Suspended: 'Suspended by spec.suspend.',
  Resumed: 'No longer suspended.',
  JobCreated: 'The Kubernetes Job was created.',
  PodStarting: 'A zipper pod is on its way.',
  PodInCharge: 'A zipper pod was put in charge.',
  Running: 'Files are fetched and the archive is written.',
  Uploaded: 'The archive was uploaded and verified.',
  ProvedByStore: 'The attempt was lost, but the store holds its complete archive.',
  BucketNotFound: 'No ZipBucket of that name exists in the project.',
  BucketTerminating: 'The ZipBucket is being deleted and takes no new jobs.',
  BucketDeleted: 'The ZipBucket was deleted while the job was unfinished.',
  ProjectNotFound: 'The namespace holds no ZipProject.',
  InvalidFileList: 'The Secrets of the file list are not named for this job.',
  InvalidMetadata: 'The metadata is not the text of one JSON object.',
  NameConflict: 'A Job of the same name exists that is not this one.',
  JobDeleted: 'The Kubernetes Job of this archive was deleted by somebody else.',
  StartDeadlineExceeded: 'No zipper started in time.',
  DeadlineExceeded: 'The job ran out of its time.',
  BackoffLimitExceeded: 'Every allowed attempt failed.',
  OutOfMemory: 'The zipper ran out of memory twice.',
  TooManyDisruptions: 'The zipper was interrupted from outside too often.',
  ResultMissing: 'The zipper ended well but left no result, and the store holds no archive of it.',
  ResultInvalid: 'The result of the zipper contradicts the request.',
  OutcomeUnknown: 'The attempt was lost while committing and the store does not tell what became of it.',
  Cancelled: 'Cancelled by spec.cancel.',
  Deleted: 'The ZipJob is being deleted.',
  Restored: 'The ZipJob is older than a day and has no status: restored from a backup, not run again.',
  Settling: 'Making sure that the last attempt can publish nothing.',
  Settled: 'The last attempt can publish nothing any more.',
  NothingToSettle: 'No upload was started.',
  NotConfigured: 'The project had no webhook for this event when the job was created.',
  Delivered: 'The receiver answered with success.',
  Exhausted: 'Every allowed delivery attempt failed.',
  EndpointDisabled: 'The webhook endpoint of the project is disabled; enable it and replay the webhook.',
  WebhookPending: 'The webhook is still to be delivered.',
  AttemptFailed: 'A zipper pod ended without an archive.',
  Succeeded: 'The job ended with its archive in the bucket.',
  Failed: 'The job ended without an archive.',
  WebhookDelivered: 'The receiver of the webhook answered with success.',
  WebhookFailed: 'A delivery attempt of the webhook failed; it is tried again.',
  WebhookExhausted: 'The last allowed delivery attempt of the webhook failed.',
  NoProgress: 'The zipper in charge has not moved for a while.',
  NodeSilent: 'The node of the zipper pod does not say whether the pod ended; it is given up soon.',
  AwaitingQueue: 'The queue of spec.queueName has not admitted the job yet.',
  Unschedulable: 'No node takes the zipper pod.',
  ImagePull: 'The zipper image cannot be pulled.',
  ContainerConfig: 'The zipper container cannot be set up; a Secret may be missing.',
  QuotaExceeded: 'The namespace quota does not allow another pod or Job.',
  AdmissionRefused: 'The API server refuses the Job.',
  BucketTested: 'Archives can be written to the bucket.',
  BucketTestFailed: 'The test of the bucket ended without an answer.',
  AllPermitted: 'Every permission that lost attempts are resolved with is there.',
  LookForbidden:
    'Nobody may look at objects: an attempt that is lost while it commits ends as OutcomeUnknown.',
  ListForbidden:
    'Nobody may list uploads: one that was begun and never recorded is left to the rule of the bucket for incomplete uploads.',
  JobsExist: 'The bucket goes when no job names it any more, finished ones included.',
  ProjectDeleting: 'The ZipProject is being deleted: its jobs are cancelled, its buckets are waited for.',
  Paused: 'No job begins: all are paused by an annotation on the Lease of the controller.',
  ProjectReady: 'What the zippers of the project need is in place.',
  ProjectIncomplete: 'Something that the zippers of the project need could not be put in place.',
  ApiServerBusy: 'The API server asked to come back later.',
} as const;
export type Reason = keyof typeof REASONS;

/** What a caller of setCondition knows; times and generation are filled in. */
export type ConditionChange = Pick<Condition, 'status' | 'reason' | 'message'> & {
  readonly type: ConditionType;
  readonly observedGeneration?: number;
};

export const findCondition = (
  conditions: readonly Condition[] | undefined,
  type: ConditionType,
): Condition | undefined => conditions?.find((condition) => condition.type === type);

/** Returns the list with the change made; lastTransitionTime moves only when the status does. Order is kept, new types go last. */
export const setCondition = (
  conditions: readonly Condition[] | undefined,
  change: ConditionChange,
  now: Date,
): readonly Condition[] => {
  const before = findCondition(conditions, change.type);
  const moved = before?.status !== change.status;
  const next: Condition = { ...change, lastTransitionTime: moved ? rfc3339(now) : before.lastTransitionTime };
  const list = conditions ?? [];
  return before ? list.map((condition) => (condition === before ? next : condition)) : [...list, next];
};

/** Kubernetes' metav1.Time: whole seconds, UTC. */
export const rfc3339 = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

const MAX_MESSAGE = 1024;

/** Messages of the status hold at most 1,024 characters. */
export const shorten = (message: string): string =>
  message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE - 3)}...`;

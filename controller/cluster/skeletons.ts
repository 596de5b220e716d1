import {
  ANNOTATIONS,
  fileListOwner,
  GROUP_VERSION,
  LABELS,
  ZIPPER_SERVICE_ACCOUNT,
} from '#crds/api-group.ts';
import { type Condition, findCondition } from '#crds/conditions.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import { endpointAnnotation, endpointsOf } from '#crds/webhook-endpoints.ts';
import {
  type Attempt,
  isFinished,
  type WebhookState,
  type ZipJob,
  type ZipJobStatus,
} from '#crds/zip-job.ts';
import { awaitsWebhookOrExit, isFileListDeleted } from '#crds/zip-job-facts.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import type { KubeObject } from '#runtime/kube/types.ts';
import { storedBytesOf } from '#runtime/project-limits/stored-bytes.ts';
import { lacksArchive } from './archive-state.ts';
import { commandOf } from './command.ts';
import { isSuspended, queueOf } from './job-state.ts';
import { controllerOf, isZipperJob, isZipperPod, type OwnerKind } from './ownership.ts';
import { type ContainerStatus, isEnded, zipperStatusOf } from './pod-state.ts';

/** Above this number, all are dropped: some fields may have as many values as there are objects. */
const MAX_VALUES = 10_000;

/** Returns the same value each time for the same text, so that equal fields of many objects use memory once. */
function createShared<T>(valueOf: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= MAX_VALUES) known.clear();
    const value = valueOf(text);
    known.set(text, value);
    return value;
  };
}

/** With a history, a finished ZipJob keeps its finalizer until it is stored there, which may take as long as the database is away. */
function isReleasedOrStored(zipJob: ZipJob, hasHistory: boolean): boolean {
  const { finalizers, deletionTimestamp } = zipJob.metadata;
  if (finalizers === undefined) return true;
  return hasHistory && deletionTimestamp === undefined && lacksArchive(zipJob);
}

function isReplayRequested({ metadata, status = {} }: ZipJob): boolean {
  const endpoints = endpointsOf<WebhookState>(status.webhook ?? { state: 'NotConfigured' });
  return endpoints.some(({ name, replayNonce }) => {
    const annotation = endpointAnnotation(ANNOTATIONS.replayWebhook, name);
    return commandOf(metadata, annotation, replayNonce) !== undefined;
  });
}

function isAtRest(zipJob: ZipJob, hasHistory: boolean): boolean {
  return (
    isFinished(zipJob) &&
    !awaitsWebhookOrExit(zipJob) &&
    !isReplayRequested(zipJob) &&
    isReleasedOrStored(zipJob, hasHistory)
  );
}

/** The kept fields of a ZipJob that only has to be archived and to expire. Its status is written only from a fresh read. */
export interface RestingZipJob extends Pick<ZipJob, 'apiVersion' | 'kind' | 'metadata'> {
  /** Without `filesFrom` once its own file list was deleted. */
  readonly spec: Pick<ZipJob['spec'], 'bucketRef' | 'key' | 'filesFrom' | 'ttlSecondsAfterFinished'>;
  /** Includes only the last attempt, and of that only its class. Of the conditions only `Archived`. */
  readonly status: Pick<
    ZipJobStatus,
    'phase' | 'reason' | 'finishedAt' | 'webhook' | 'attempts' | 'conditions'
  >;
  /** Bytes of the whole ZipJob and its file list in the store of the API server. */
  readonly storedBytes: number;
}

export function isResting(zipJob: ZipJob | RestingZipJob): zipJob is RestingZipJob {
  return 'storedBytes' in zipJob;
}

/** Bytes of a ZipJob of the cache, or of what it was made from. */
export function cachedBytesOf(zipJob: ZipJob | RestingZipJob): number {
  return isResting(zipJob) ? zipJob.storedBytes : storedBytesOf(zipJob);
}

/** Each object of a list from the API server has strings and objects of its own, also for equal values. */
const text = createShared((value: string) => value);
const bucketRef = createShared((name: string) => ({ name }));
const webhook = createShared((state: string) => ({
  state: state as NonNullable<ZipJobStatus['webhook']>['state'],
}));
const lastAttempt = createShared((name: string): readonly Attempt[] => [
  { n: 1, podUid: '', class: name as NonNullable<Attempt['class']> },
]);
const archived = createShared((text: string): readonly Condition[] => {
  const [status, reason = ''] = text.split(' ');
  return [
    {
      type: 'Archived',
      status: status === 'True' ? 'True' : 'False',
      reason,
      message: '',
      lastTransitionTime: '',
    },
  ];
});
const finalizers = createShared((names: string): readonly string[] => names.split(' '));
const LIST_DELETED = { [ANNOTATIONS.fileListDeletedAt]: 'yes' };

function restMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  return defined({
    name,
    namespace: text(namespace),
    uid,
    resourceVersion,
    deletionTimestamp,
    annotations: isFileListDeleted({ metadata }) ? LIST_DELETED : undefined,
    finalizers: metadata.finalizers && finalizers(metadata.finalizers.join(' ')),
  });
}

function restSpec({ metadata, spec }: ZipJob): RestingZipJob['spec'] {
  const { filesFrom, ttlSecondsAfterFinished } = spec;
  const isGone =
    filesFrom && fileListOwner(filesFrom.secretNames) === metadata.name && isFileListDeleted({ metadata });
  return defined({
    bucketRef: bucketRef(spec.bucketRef.name),
    // No index has it any more.
    key: '',
    filesFrom: isGone ? undefined : filesFrom,
    ttlSecondsAfterFinished,
  });
}

function restStatus(status: ZipJobStatus): RestingZipJob['status'] {
  const { phase, reason, finishedAt } = status;
  const last = status.attempts?.at(-1)?.class;
  const condition = findCondition(status.conditions, 'Archived');
  return defined({
    phase,
    reason: reason === undefined ? undefined : text(reason),
    finishedAt,
    webhook: status.webhook && webhook(status.webhook.state),
    attempts: last && lastAttempt(last),
    conditions: condition && archived(`${condition.status} ${condition.reason}`),
  });
}

/** Saves memory: there may be a hundred thousand ZipJobs that only have to expire. */
export function zipJobSkeleton(zipJob: ZipJob, hasHistory = false): ZipJob | RestingZipJob {
  if (!isAtRest(zipJob, hasHistory)) return zipJob;
  const { metadata, status = {} } = zipJob;
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: restMetadata(metadata),
    spec: restSpec(zipJob),
    status: restStatus(status),
    storedBytes: storedBytesOf(zipJob),
  };
}

/** The controlling owner and the labels by which a Job or pod is found. */
function ownedMetadata(object: KubeObject, kinds: readonly OwnerKind[]): ObjectMeta {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels } =
    object.metadata;
  const { [LABELS.instance]: given, [LABELS.component]: component } = labels ?? {};
  const instance = given === name ? name : given;
  const owner = kinds.map((kind) => controllerOf(object, kind)).find((one) => one !== undefined);
  const ownerReferences = owner && [
    {
      apiVersion: text(owner.apiVersion),
      kind: text(owner.kind),
      // Usually the same text as the label: kept once.
      name: owner.name === instance ? instance : owner.name,
      uid: owner.uid,
      controller: true,
    },
  ];
  return defined({
    name,
    namespace: text(namespace),
    uid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    labels: defined({ [LABELS.instance]: instance, [LABELS.component]: component && text(component) }),
    ownerReferences,
  });
}

/** Shows to `isZipperJob` that the Job was one when the cache received it. */
const ZIPPER_JOB: NonNullable<Job['spec']> = {
  template: { spec: { serviceAccountName: ZIPPER_SERVICE_ACCOUNT, containers: [] } },
};

const SUSPENDED_JOB: NonNullable<Job['spec']> = { ...ZIPPER_JOB, suspend: true };

type JobCondition = NonNullable<NonNullable<Job['status']>['conditions']>[number];

/** Only a failure is reported with its message, which names its pod. */
function jobCondition({ type, status, reason, message }: JobCondition): JobCondition {
  return {
    type: text(type),
    status: text(status),
    ...defined({ reason: reason && text(reason), message: type.startsWith('Fail') ? message : undefined }),
  };
}

/**
 * Only the identity and the status of a Job are read. Undefined for a Job of others: anyone may give a Job our label, and name any
 * ZipJob as its owner.
 */
export function jobSkeleton(job: Job): Job | undefined {
  if (!isZipperJob(job)) return undefined;
  const { startTime, failed, conditions = [] } = job.status ?? {};
  const { labels, ...metadata } = ownedMetadata(job, ['ZipJob', 'ZipBucket']);
  const queueName = queueOf(job);
  return {
    metadata: {
      ...metadata,
      labels: { ...labels, ...(queueName && { [LABELS.queueName]: text(queueName) }) },
    },
    spec: isSuspended(job) ? SUSPENDED_JOB : ZIPPER_JOB,
    status: { ...defined({ startTime, failed }), conditions: conditions.map(jobCondition) },
  };
}

/** Only its exit is read. */
function endedContainer({ name, restartCount, state }: ContainerStatus): ContainerStatus {
  const end = state?.terminated;
  const reason = end?.reason === undefined ? undefined : text(end.reason);
  const terminated = end && { exitCode: end.exitCode, ...defined({ reason, message: end.message }) };
  return {
    name: text(name),
    image: '',
    imageID: '',
    ready: false,
    restartCount,
    ...(terminated && { state: { terminated } }),
  };
}

/** Why its container waits, or that it runs. */
function livingContainer({ name, restartCount, state }: ContainerStatus): ContainerStatus {
  return {
    name,
    image: '',
    imageID: '',
    ready: false,
    restartCount,
    ...(state && { state }),
  };
}

/** Only the exit of the zipper and the reason why the pod ended are read. */
function endedPod(pod: Pod): Pod {
  const { phase, reason, message, conditions = [] } = pod.status ?? {};
  const container = zipperStatusOf(pod);
  const nodeName = pod.spec?.nodeName;
  return {
    metadata: ownedMetadata(pod, ['Job']),
    spec: defined({
      nodeName: nodeName && text(nodeName),
      serviceAccountName: ZIPPER_SERVICE_ACCOUNT,
    }),
    status: {
      ...defined({ phase: phase && text(phase), reason, message }),
      conditions: conditions.filter(({ type }) => type === 'DisruptionTarget'),
      ...(container && { containerStatuses: [endedContainer(container)] }),
    },
  };
}

function livingPod(pod: Pod): Pod {
  const { phase, reason, message, conditions = [], initContainerStatuses } = pod.status ?? {};
  const container = zipperStatusOf(pod);
  const { nodeName, volumes } = pod.spec ?? {};
  return {
    metadata: ownedMetadata(pod, ['Job']),
    // Of the volumes, the names of the mounted Secrets are read.
    spec: defined({ nodeName, serviceAccountName: ZIPPER_SERVICE_ACCOUNT, volumes }),
    status: {
      ...defined({ phase, reason, message }),
      conditions,
      ...(initContainerStatuses && { initContainerStatuses: initContainerStatuses.map(livingContainer) }),
      ...(container && { containerStatuses: [livingContainer(container)] }),
    },
  };
}

/** Undefined for a pod of others: anyone may give a pod our label, and name any Job as its owner. */
export function podSkeleton(pod: Pod): Pod | undefined {
  if (!isZipperPod(pod)) return undefined;
  return isEnded(pod) ? endedPod(pod) : livingPod(pod);
}

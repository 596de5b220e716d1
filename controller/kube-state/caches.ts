import { ANNOTATIONS, fileListOwner, LABELS } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { isFinished, type ZipJob, type ZipJobStatus } from '#crds/zip-job.ts';
import { awaitsWebhookOrExit } from '#crds/zip-job-facts.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Job, Namespace, Pod } from '#runtime/kube/resources.ts';
import type { KubeObject, ObjectKey, Reflector } from '#runtime/kube/types.ts';
import { defined } from '#runtime/optional.ts';
import { storedBytesOf } from '#runtime/project-limits/stored-bytes.ts';
import { commandOf } from './command.ts';

/** The caches that decisions are based on. */
export interface Caches {
  readonly zipJobs: Reflector<ZipJob>;
  readonly jobs: Reflector<Job>;
  readonly pods: Reflector<Pod>;
  readonly buckets: Reflector<ZipBucket>;
  readonly projects: Reflector<ZipProject>;
  /** The namespaces with a project class. */
  readonly namespaces: Reflector<Namespace>;
}

/** Selects the Jobs and pods of the controller; the API server does not send others. */
export const OWN_SELECTOR = `${LABELS.managedBy}=zipjobs-controller`;

export const INDEXES = {
  /** ZipJobs by the object that they write. */
  target: 'target',
  /** ZipJobs that may change by themselves; all others only have to expire. */
  changing: 'changing',
  /** ZipJobs by bucket. */
  bucket: 'bucket',
  /** Reruns, by the ZipJob whose file list they use. */
  fileList: 'fileList',
  /** Pods by the uid of their Job. */
  jobUid: 'jobUid',
  /** Jobs that test a bucket, by that bucket. */
  testedBucket: 'testedBucket',
  /** Jobs of archives and recoveries by the uid of their ZipJob. */
  zipJobUid: 'zipJobUid',
} as const;

export const targetOf = ({ metadata, spec }: ZipJob): string =>
  `${metadata.namespace}/${spec.bucketRef.name}/${spec.key}`;
/** Key of the ZipJob whose file list a rerun uses. */
export const listOwnerKeyOf = ({ metadata, spec }: ZipJob): ObjectKey | undefined => {
  const owner = spec.filesFrom && fileListOwner(spec.filesFrom.secretNames);
  return owner === undefined || owner === metadata.name ? undefined : `${metadata.namespace}/${owner}`;
};
export const listOwnerKeysOf = (zipJob: ZipJob): readonly ObjectKey[] => {
  const key = listOwnerKeyOf(zipJob);
  return key === undefined ? [] : [key];
};
export const bucketKeyOf = ({ metadata, spec }: ZipJob): string =>
  `${metadata.namespace}/${spec.bucketRef.name}`;
export const jobUidsOf = (pod: Pod): readonly string[] =>
  pod.metadata.ownerReferences?.filter(({ kind }) => kind === 'Job').map(({ uid }) => uid) ?? [];

export const zipJobUidsOf = ({ metadata }: Job): readonly string[] =>
  metadata.ownerReferences?.filter(({ kind }) => kind === 'ZipJob').map(({ uid }) => uid) ?? [];

/** Key of the ZipJob that a Job or pod belongs to; of the ZipBucket for a bucket test. */
export const zipJobKeyOf = ({ metadata }: KubeObject): ObjectKey | undefined => {
  const name = metadata.labels?.[LABELS.instance];
  return name === undefined ? undefined : `${metadata.namespace}/${name}`;
};

/** Key of the bucket that a Job tests, if any. */
export const testedBucketsOf = ({ metadata }: Job): readonly ObjectKey[] =>
  metadata.ownerReferences
    ?.filter(({ kind }) => kind === 'ZipBucket')
    .map(({ name }) => `${metadata.namespace}/${name}`) ?? [];

const isAtRest = (zipJob: ZipJob): boolean =>
  isFinished(zipJob) &&
  !awaitsWebhookOrExit(zipJob) &&
  commandOf(zipJob.metadata, ANNOTATIONS.replayWebhook, zipJob.status?.webhook?.replayNonce) === undefined &&
  zipJob.metadata.finalizers === undefined;

/** The kept fields of a ZipJob that only has to expire: its status is never written again. */
export interface RestingZipJob extends Pick<ZipJob, 'apiVersion' | 'kind' | 'metadata'> {
  readonly spec: Pick<ZipJob['spec'], 'bucketRef' | 'key' | 'filesFrom' | 'ttlSecondsAfterFinished'>;
  /** Includes only the last attempt. */
  readonly status: Pick<ZipJobStatus, 'phase' | 'reason' | 'finishedAt' | 'webhook' | 'attempts'>;
  /** Bytes of the whole ZipJob and its file list in the store of the API server. */
  readonly storedBytes: number;
}

/** The only value of its index. */
export const CHANGING = 'changing';
export const isResting = (zipJob: ZipJob | RestingZipJob): zipJob is RestingZipJob => 'storedBytes' in zipJob;
export const changingOf = (zipJob: ZipJob | RestingZipJob): readonly string[] =>
  isResting(zipJob) ? [] : [CHANGING];

/** Bytes of a ZipJob of the cache, or of what it was made from. */
export const cachedBytesOf = (zipJob: ZipJob | RestingZipJob): number =>
  isResting(zipJob) ? zipJob.storedBytes : storedBytesOf(zipJob);

const restMetadata = ({
  annotations,
  labels: _labels,
  ...metadata
}: ZipJob['metadata']): ZipJob['metadata'] => {
  const deletedAt = annotations?.[ANNOTATIONS.fileListDeletedAt];
  return deletedAt === undefined
    ? metadata
    : { ...metadata, annotations: { [ANNOTATIONS.fileListDeletedAt]: deletedAt } };
};

const restStatus = (status: ZipJobStatus): RestingZipJob['status'] => {
  const { phase, reason, finishedAt, webhook, attempts } = status;
  return defined({
    phase,
    reason,
    finishedAt,
    webhook: webhook && { state: webhook.state },
    attempts: attempts?.slice(-1),
  });
};

/** Saves memory: there may be ten thousand ZipJobs that only have to expire. */
export const zipJobSkeleton = (zipJob: ZipJob): ZipJob | RestingZipJob => {
  if (!isAtRest(zipJob)) return zipJob;
  const { apiVersion, kind, metadata, spec, status = {} } = zipJob;
  const { bucketRef, key, filesFrom, ttlSecondsAfterFinished } = spec;
  return {
    apiVersion,
    kind,
    metadata: restMetadata(metadata),
    spec: defined({ bucketRef, key, filesFrom, ttlSecondsAfterFinished }),
    status: restStatus(status),
    storedBytes: storedBytesOf(zipJob),
  };
};

/** Only the identity and the status of a Job are read. */
export const jobSkeleton = ({ spec: _spec, ...job }: Job): Job => job;

/** Only the node and the names of the mounted Secrets in a pod spec are read. */
export const podSkeleton = (pod: Pod): Pod => {
  const { annotations: _annotations, ...metadata } = pod.metadata;
  const { nodeName, volumes } = pod.spec ?? {};
  return {
    ...pod,
    metadata,
    spec: defined({ nodeName, volumes }),
  };
};

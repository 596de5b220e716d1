import { fileListOwner, LABELS } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Job, Namespace, Pod } from '#runtime/kube/resources.ts';
import type { Change, KubeObject, ObjectKey, Reflector } from '#runtime/kube/types.ts';
import { isResting } from './skeletons.ts';

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
/** Finished ZipJobs write no object. */
export const targetsOf = (zipJob: ZipJob): readonly string[] => (isResting(zipJob) ? [] : [targetOf(zipJob)]);
/** The object that the changed job could write until now: a record of a finished job no longer has its key. */
export const targetsBefore = (change: Change<ZipJob>): readonly string[] => {
  const now = change.kind === 'set' ? change.object : change.before;
  if (!isResting(now)) return [targetOf(now)];
  return change.before ? targetsOf(change.before) : [];
};
/** The only value of its index. */
export const CHANGING = 'changing';
export const changingOf = (zipJob: ZipJob): readonly string[] => (isResting(zipJob) ? [] : [CHANGING]);
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

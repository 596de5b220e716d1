import { fileListOwner, LABELS } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Job, Namespace, Pod } from '#runtime/kube/resources.ts';
import { clusterIndex, type KubeObject, type ObjectKey, type Reflector } from '#runtime/kube/types.ts';
import { isJobFinished } from './job-state.ts';
import { controllerOf, controllerUids } from './ownership.ts';
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

/** Selects the Jobs and pods of the controller, and those to which others gave its label. The caches drop these. */
export const OWN_SELECTOR = `${LABELS.managedBy}=zipjobs-controller`;

export const INDEXES = {
  /** ZipJobs that may change by themselves; all others only have to expire. */
  changing: clusterIndex('changing'),
  /** ZipJobs by bucket. */
  bucket: 'bucket',
  /** Reruns, by the ZipJob whose file list they use. */
  fileList: 'fileList',
  /** Pods by the uid of their Job. */
  jobUid: 'jobUid',
  /** Jobs that test a bucket, by the uid of that bucket. */
  bucketUid: 'bucketUid',
  /** Jobs of archives and recoveries by the uid of their ZipJob. */
  zipJobUid: 'zipJobUid',
  /** Finished Jobs of archives and recoveries. */
  finished: 'finished',
} as const;

/** True from the creation of its Job on; the number of such ZipJobs is limited by slots. */
export function isActive(zipJob: ZipJob): boolean {
  const { phase, job } = zipJob.status ?? {};
  return !isFinished(zipJob) && (job !== undefined || (phase !== undefined && phase !== 'Queued'));
}

/** The only values of their indexes. */
export const CHANGING = 'changing';
export const FINISHED = 'finished';

export function changingOf(zipJob: ZipJob): readonly string[] {
  return isResting(zipJob) ? [] : [CHANGING];
}

/** Name of the ZipJob whose file list a rerun uses. */
export function listOwnerOf({ metadata, spec }: ZipJob): string | undefined {
  const owner = spec.filesFrom && fileListOwner(spec.filesFrom.secretNames);
  return owner === metadata.name ? undefined : owner;
}

export function listOwnersOf(zipJob: ZipJob): readonly string[] {
  const name = listOwnerOf(zipJob);
  return name === undefined ? [] : [name];
}

export function bucketKeyOf({ metadata, spec }: ZipJob): string {
  return `${metadata.namespace}/${spec.bucketRef.name}`;
}

function bucketNamesOf({ spec }: ZipJob): readonly string[] {
  return [...new Set([spec.bucketRef.name, ...(spec.sourceBuckets ?? [])])];
}

/** Names of the ZipBuckets that must stay: that of the archive and, while the job is unfinished, those of its files. */
export function heldBucketsOf(zipJob: ZipJob): readonly string[] {
  return isFinished(zipJob) ? [zipJob.spec.bucketRef.name] : bucketNamesOf(zipJob);
}

/** Keys of the ZipBuckets that the job uses while it is unfinished: of its archive, and of its files. */
export function usedBucketsOf(zipJob: ZipJob): readonly string[] {
  return bucketNamesOf(zipJob).map((name) => `${zipJob.metadata.namespace}/${name}`);
}

/** The indexes of Jobs and pods. */
export const JOB_INDEXES = {
  [INDEXES.bucketUid]: (job: Job) => controllerUids(job, 'ZipBucket'),
  [INDEXES.zipJobUid]: (job: Job) => controllerUids(job, 'ZipJob'),
  [INDEXES.finished]: (job: Job) => (isJobFinished(job) && controllerOf(job, 'ZipJob') ? [FINISHED] : []),
};
export const POD_INDEXES = { [INDEXES.jobUid]: (pod: Pod) => controllerUids(pod, 'Job') };

/** Key of the ZipJob that a Job or pod belongs to; of the Job for a bucket test. */
export function zipJobKeyOf({ metadata }: KubeObject): ObjectKey | undefined {
  const name = metadata.labels?.[LABELS.instance];
  return name === undefined ? undefined : `${metadata.namespace}/${name}`;
}

/** Key of the bucket that a Job tests, if any. */
export function testedBucketOf(job: Job): ObjectKey | undefined {
  const bucket = controllerOf(job, 'ZipBucket');
  return bucket && `${job.metadata.namespace}/${bucket.name}`;
}

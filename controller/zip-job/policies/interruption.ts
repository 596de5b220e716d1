import type { ZipJob } from '#crds/zip-job.ts';
import { isForced, isLeaving } from '../../cluster/release.ts';
import type { Observation, Outcome } from '../observation.ts';

export function wasAccepted({ status }: ZipJob): boolean {
  return status?.conditions?.some((one) => one.type === 'Accepted' && one.status === 'True') === true;
}

function isTerminating(bucket: Observation['bucket']): boolean {
  return bucket === undefined || (isLeaving(bucket.metadata) && isForced(bucket.metadata));
}

function terminatingSource({
  zipJob,
  sourceBuckets = [],
}: Pick<Observation, 'zipJob' | 'sourceBuckets'>): string | undefined {
  return zipJob.spec.sourceBuckets?.find((name) =>
    isTerminating(sourceBuckets.find(({ metadata }) => metadata.name === name)),
  );
}

/** No pod of the job has been active, so none has read anything. */
export function hasNoAttempt({ status }: ZipJob): boolean {
  return status?.job?.podUid === undefined && (status?.attemptsTotal ?? 0) === 0;
}

/** The first bucket that may not be read, of a job that waits, such as in a queue. */
function unreadableSource({
  zipJob,
  sourceBuckets = [],
}: Pick<Observation, 'zipJob' | 'sourceBuckets'>): string | undefined {
  if (!hasNoAttempt(zipJob)) return undefined;
  return sourceBuckets.find(({ spec }) => spec.readable !== true)?.metadata.name;
}

/** The message of a job whose source bucket may not be read. */
export function notReadable({ metadata }: ZipJob, bucket: string): Outcome {
  return {
    reason: 'SourceBucketNotReadable',
    message: `ZipBucket ${bucket} does not have spec.readable; an admin of namespace ${metadata.namespace} can set it`,
  };
}

/** Why the job ends early: deletion, cancellation, or one of its buckets. */
export function interruption({
  zipJob,
  bucket,
  sourceBuckets = [],
}: Pick<Observation, 'zipJob' | 'bucket' | 'sourceBuckets'>): Outcome | undefined {
  if (zipJob.metadata.deletionTimestamp !== undefined)
    return { reason: 'Deleted', message: 'the ZipJob is being deleted' };
  if (zipJob.spec.cancel === true)
    return { reason: 'Cancelled', message: 'the job was cancelled by spec.cancel' };
  if (!wasAccepted(zipJob)) return undefined;
  if (isTerminating(bucket))
    return {
      reason: 'BucketDeleted',
      message: `ZipBucket ${zipJob.spec.bucketRef.name} was deleted while the job was unfinished`,
    };
  const source = terminatingSource({ zipJob, sourceBuckets });
  if (source !== undefined)
    return {
      reason: 'SourceBucketDeleted',
      message: `ZipBucket ${source} of spec.sourceBuckets was deleted while the job was unfinished`,
    };
  const unreadable = unreadableSource({ zipJob, sourceBuckets });
  return unreadable === undefined ? undefined : notReadable(zipJob, unreadable);
}

import type { ZipJob } from '#crds/zip-job.ts';
import { isForced, isLeaving } from '../../cluster/release.ts';
import type { Observation, Outcome } from '../observation.ts';

export function wasAccepted({ status }: ZipJob): boolean {
  return status?.conditions?.some((one) => one.type === 'Accepted' && one.status === 'True') === true;
}

function isTerminating(bucket: Observation['bucket']): boolean {
  return bucket === undefined || (isLeaving(bucket.metadata) && isForced(bucket.metadata));
}

/** Why the job ends early: deletion, cancellation, or the deletion of its bucket. */
export function interruption({
  zipJob,
  bucket,
}: Pick<Observation, 'zipJob' | 'bucket'>): Outcome | undefined {
  if (zipJob.metadata.deletionTimestamp !== undefined)
    return { reason: 'Deleted', message: 'the ZipJob is being deleted' };
  if (zipJob.spec.cancel === true)
    return { reason: 'Cancelled', message: 'the job was cancelled by spec.cancel' };
  if (wasAccepted(zipJob) && isTerminating(bucket))
    return {
      reason: 'BucketDeleted',
      message: `ZipBucket ${zipJob.spec.bucketRef.name} was deleted while the job was unfinished`,
    };
  return undefined;
}

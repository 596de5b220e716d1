import type { Observation, Outcome } from '../observation.ts';

/** Does something end the job before its time: deletion, cancellation, or the loss of its bucket? */
export const interruption = ({
  zipJob,
  bucket,
}: Pick<Observation, 'zipJob' | 'bucket'>): Outcome | undefined => {
  if (zipJob.metadata.deletionTimestamp !== undefined)
    return { reason: 'Deleted', message: 'the ZipJob is being deleted' };
  if (zipJob.spec.cancel === true) return { reason: 'Cancelled', message: 'cancelled by spec.cancel' };
  const wasAccepted = zipJob.status?.conditions?.some(
    ({ type, status }) => type === 'Accepted' && status === 'True',
  );
  if (wasAccepted && !bucket)
    return {
      reason: 'BucketDeleted',
      message: `ZipBucket ${zipJob.spec.bucketRef.name} was deleted while the job was unfinished`,
    };
  return undefined;
};

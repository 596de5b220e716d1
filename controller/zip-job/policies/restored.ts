import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { timeOf } from '../../kube-state/times.ts';

/**
 * True if this ZipJob was restored from a backup. Restoring renews the creation time and usually drops the status, but keeps
 * the annotations; an archive requested long ago must not be built a second time.
 */
export const isRestored = (
  { metadata, status }: ZipJob,
  now: Date,
  settings: { readonly restoredAfterSeconds: number },
): boolean => {
  const acceptedAt = timeOf(metadata.annotations?.[ANNOTATIONS.acceptedAt]);
  // A job with a status may have been queued for long, so only a renewed creation time shows that it was restored.
  const seenAt = status?.phase === undefined ? now.getTime() : timeOf(metadata.creationTimestamp);
  if (acceptedAt === undefined || seenAt === undefined) return false;
  return seenAt - acceptedAt > settings.restoredAfterSeconds * 1000;
};

import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { timeOf } from '../../kube-state/times.ts';

/**
 * True if this ZipJob was restored from a backup. Restoring drops the status and renews the creation time, but keeps the
 * annotations; an archive asked for long ago must not be built a second time.
 */
export const isRestored = (
  zipJob: ZipJob,
  now: Date,
  settings: { readonly restoredAfterSeconds: number },
): boolean => {
  if (zipJob.status?.phase !== undefined) return false;
  const acceptedAt = timeOf(zipJob.metadata.annotations?.[ANNOTATIONS.acceptedAt]);
  return acceptedAt !== undefined && now.getTime() - acceptedAt > settings.restoredAfterSeconds * 1000;
};

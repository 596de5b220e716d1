import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { timeOf } from '../times.ts';

export interface ExpirySettings {
  readonly succeededTtlSeconds: number;
  readonly failedTtlSeconds: number;
  readonly fileListTtlSeconds: number;
}

const ttlSeconds = ({ spec, status }: ZipJob, settings: ExpirySettings): number => {
  const own = spec.ttlSecondsAfterFinished ?? {};
  return status?.phase === 'Succeeded'
    ? (own.succeeded ?? settings.succeededTtlSeconds)
    : (own.failed ?? settings.failedTtlSeconds);
};

/** When is a finished ZipJob deleted? Never before its webhook is settled, since the delivery's state lives in it. */
export const expiresAt = (zipJob: ZipJob, settings: ExpirySettings): Date | undefined => {
  const finishedAt = timeOf(zipJob.status?.finishedAt);
  if (finishedAt === undefined || zipJob.status?.webhook?.state === 'Pending') return undefined;
  return new Date(finishedAt + ttlSeconds(zipJob, settings) * 1000);
};

/** When are the Secrets with the file list of a finished ZipJob deleted? Undefined: there are none any more. */
export const fileListExpiresAt = (zipJob: ZipJob, settings: ExpirySettings): Date | undefined => {
  const finishedAt = timeOf(zipJob.status?.finishedAt);
  const deleted = zipJob.metadata.annotations?.[ANNOTATIONS.fileListDeletedAt] !== undefined;
  if (finishedAt === undefined || deleted || !zipJob.spec.filesFrom) return undefined;
  return new Date(finishedAt + settings.fileListTtlSeconds * 1000);
};

import { ANNOTATIONS, fileListOwner } from '#crds/api-group.ts';
import { hasActivePod, isFinished, type ZipJob } from '#crds/zip-job.ts';
import { awaitsWebhookOrExit } from '#crds/zip-job-facts.ts';
import { timeOf } from '../../kube-state/times.ts';

export interface ExpirySettings {
  readonly succeededTtlSeconds: number;
  readonly failedTtlSeconds: number;
  readonly succeededPodTtlSeconds: number;
  readonly failedPodTtlSeconds: number;
  readonly fileListTtlSeconds: number;
  /** Of a job that a full project deletes first. */
  readonly fullProjectTtlSeconds: number;
}

const ttlSeconds = ({ spec, status }: ZipJob, settings: ExpirySettings, isSurplus: boolean): number => {
  const own = spec.ttlSecondsAfterFinished ?? {};
  const usual =
    status?.phase === 'Succeeded'
      ? (own.succeeded ?? settings.succeededTtlSeconds)
      : (own.failed ?? settings.failedTtlSeconds);
  return isSurplus ? Math.min(usual, settings.fullProjectTtlSeconds) : usual;
};

/**
 * When the Kubernetes Jobs and pods of a finished ZipJob are deleted. Undefined while its pod has not exited: only the pod
 * says how the attempt ended.
 */
export const podsExpireAt = (
  zipJob: ZipJob,
  settings: Pick<ExpirySettings, 'succeededPodTtlSeconds' | 'failedPodTtlSeconds'>,
): Date | undefined => {
  const finishedAt = timeOf(zipJob.status?.finishedAt);
  if (finishedAt === undefined || hasActivePod(zipJob)) return undefined;
  const seconds =
    zipJob.status?.phase === 'Succeeded' ? settings.succeededPodTtlSeconds : settings.failedPodTtlSeconds;
  return new Date(finishedAt + seconds * 1000);
};

/** What else decides when a job is deleted. */
export interface ExpiryFacts {
  /** Reruns that use its file list. */
  readonly listUsers?: readonly ZipJob[] | undefined;
  /** True if its project is nearly full and this is one of its oldest finished jobs. */
  readonly isSurplus?: boolean | undefined;
}

/**
 * When a finished ZipJob is deleted. Undefined while its webhook is pending, because its status contains the delivery state,
 * while its pod has not exited, and while a rerun uses its file list, which is deleted with it.
 */
export const expiresAt = (
  zipJob: ZipJob,
  settings: ExpirySettings,
  { listUsers = [], isSurplus = false }: ExpiryFacts = {},
): Date | undefined => {
  const finishedAt = timeOf(zipJob.status?.finishedAt);
  if (finishedAt === undefined || awaitsWebhookOrExit(zipJob)) return undefined;
  if (!listUsers.every(isFinished)) return undefined;
  return new Date(finishedAt + ttlSeconds(zipJob, settings, isSurplus) * 1000);
};

/** True if the file list belongs to this job. A rerun uses the file list of the original job. */
const ownsList = ({ metadata, spec }: ZipJob): boolean =>
  spec.filesFrom !== undefined &&
  fileListOwner(spec.filesFrom.secretNames) === metadata.name &&
  metadata.annotations?.[ANNOTATIONS.fileListDeletedAt] === undefined;

/**
 * When the Secrets with the file list of a finished ZipJob are deleted. Counted from the end of the last job that used
 * them. Undefined if they no longer exist or are in use.
 */
export const fileListExpiresAt = (
  zipJob: ZipJob,
  settings: ExpirySettings,
  listUsers: readonly ZipJob[] = [],
): Date | undefined => {
  const ends = [zipJob, ...listUsers].map(({ status }) => timeOf(status?.finishedAt));
  const known = ends.filter((end) => end !== undefined);
  if (known.length < ends.length || !ownsList(zipJob)) return undefined;
  return new Date(Math.max(...known) + settings.fileListTtlSeconds * 1000);
};

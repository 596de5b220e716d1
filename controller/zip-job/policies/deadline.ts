import type { Progress, ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { jobFailure, jobStartedAt } from '../../cluster/job-state.ts';
import { timeOf } from '../../cluster/times.ts';

/** Margin after the deadline of the Job. It applies only if the Job cannot end because a pod does not stop. */
const GRACE_MS = 15_000;

/** Time limit of the job: its own, or the default of the settings. */
export function deadlineSeconds(
  { spec }: ZipJob,
  settings: { readonly activeDeadlineSeconds: number },
): number {
  return spec.activeDeadlineSeconds ?? settings.activeDeadlineSeconds;
}

/** The deadline of the job, independent of its Job; undefined before the Job has started. */
export function runDeadline(
  zipJob: ZipJob,
  job: Job | undefined,
  settings: { readonly activeDeadlineSeconds: number },
): Date | undefined {
  const startedAt = job && jobStartedAt(zipJob, job);
  if (startedAt === undefined) return undefined;
  return new Date(startedAt + deadlineSeconds(zipJob, settings) * 1000 + GRACE_MS);
}

/** A job may recover from a slow start, so it is judged only after it has read this share of its bytes, if all lengths are known, */
const JUDGED_FROM_BYTES = 0.1;
/** or of its files: the first ones may be larger than the others. */
const JUDGED_FROM_FILES = 0.5;
/** How long every estimate must be far beyond the deadline: sources may become faster again. */
export const HOPELESS_AFTER_MS = 10 * 60_000;

function isJudged({ bytesRead, bytesTotal, filesDone, filesTotal }: Progress): boolean {
  return bytesTotal === undefined
    ? filesDone >= JUDGED_FROM_FILES * filesTotal
    : bytesRead >= JUDGED_FROM_BYTES * bytesTotal;
}

/** True if the job, at its present rate, ends later than its deadline by more than its whole time. */
export function isFarTooSlow(
  zipJob: ZipJob,
  job: Job | undefined,
  settings: { readonly activeDeadlineSeconds: number },
): boolean {
  const deadline = runDeadline(zipJob, job, settings);
  const { progress } = zipJob.status ?? {};
  const endsAt = timeOf(progress?.estimatedEndAt);
  if (!deadline || !progress || endsAt === undefined || !isJudged(progress)) return false;
  return endsAt > deadline.getTime() + deadlineSeconds(zipJob, settings) * 1000;
}

/** True if the job exceeded its deadline. */
export function isOutOfTime(
  zipJob: ZipJob,
  job: Job | undefined,
  settings: { readonly activeDeadlineSeconds: number; readonly now: Date },
): boolean {
  if (job && jobFailure(job)?.reason === 'DeadlineExceeded') return true;
  const deadline = runDeadline(zipJob, job, settings);
  return deadline !== undefined && settings.now >= deadline;
}

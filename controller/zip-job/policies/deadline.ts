import type { ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { jobFailure, jobStartedAt } from '../../kube-state/job-state.ts';

/** Margin after the deadline of the Job. It applies only if the Job cannot end because a pod does not stop. */
const GRACE_MS = 15_000;

/** The deadline of the job, independent of its Job; undefined before the Job has started. */
export const runDeadline = (
  zipJob: ZipJob,
  job: Job | undefined,
  settings: { readonly activeDeadlineSeconds: number },
): Date | undefined => {
  const startedAt = job && jobStartedAt(zipJob, job);
  if (startedAt === undefined) return undefined;
  const seconds = zipJob.spec.activeDeadlineSeconds ?? settings.activeDeadlineSeconds;
  return new Date(startedAt + seconds * 1000 + GRACE_MS);
};

/** True if the job exceeded its deadline. */
export const isOutOfTime = (
  zipJob: ZipJob,
  job: Job | undefined,
  at: { readonly now: Date; readonly activeDeadlineSeconds: number },
): boolean => {
  if (job && jobFailure(job)?.reason === 'DeadlineExceeded') return true;
  const deadline = runDeadline(zipJob, job, at);
  return deadline !== undefined && at.now >= deadline;
};

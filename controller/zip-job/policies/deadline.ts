import type { ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { jobFailure } from '../../kube-state/job-state.ts';
import { timeOf } from '../../kube-state/times.ts';

/** The Job's own deadline comes first; ours only speaks when the Job cannot end because a pod will not die. */
const GRACE_MS = 15_000;

/** When does the job run out of time, whatever its Job says? Undefined before the Job has started. */
export const runDeadline = (
  zipJob: ZipJob,
  job: Job | undefined,
  settings: { readonly activeDeadlineSeconds: number },
): Date | undefined => {
  const startedAt = timeOf(job?.status?.startTime);
  if (startedAt === undefined) return undefined;
  const seconds = zipJob.spec.activeDeadlineSeconds ?? settings.activeDeadlineSeconds;
  return new Date(startedAt + seconds * 1000 + GRACE_MS);
};

/** Is the job out of time? */
export const isOutOfTime = (
  zipJob: ZipJob,
  job: Job | undefined,
  at: { readonly now: Date; readonly activeDeadlineSeconds: number },
): boolean => {
  if (job && jobFailure(job)?.reason === 'DeadlineExceeded') return true;
  const deadline = runDeadline(zipJob, job, at);
  return deadline !== undefined && at.now >= deadline;
};

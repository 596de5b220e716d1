import { findCondition } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { timeOf } from '../owned-status.ts';

const DEFAULT_START_DEADLINE_SECONDS = 600;

/**
 * When must a zipper have started? Counted from the latest of: the Job was created; the attempt before ended; something
 * outside began to hold the Job up. Undefined while none of these happened, as in the queue.
 */
export const startDeadline = (zipJob: ZipJob, job: Job | undefined): Date | undefined => {
  const waiting = findCondition(zipJob.status?.conditions, 'Waiting');
  const since = job
    ? [timeOf(job.metadata.creationTimestamp), timeOf(zipJob.status?.attempts?.at(-1)?.finishedAt)]
    : [waiting?.status === 'True' ? timeOf(waiting.lastTransitionTime) : undefined];
  const known = since.filter((time) => time !== undefined);
  if (known.length === 0) return undefined;
  const seconds = zipJob.spec.startDeadlineSeconds ?? DEFAULT_START_DEADLINE_SECONDS;
  return new Date(Math.max(...known) + seconds * 1000);
};

import type { Job } from '#runtime/kube/resources.ts';
import { isJobFinished, jobFailure, jobStartedAt } from '../../cluster/job-state.ts';
import { timeOf } from '../../cluster/times.ts';
import type { Observation } from '../observation.ts';

/** A Job normally has a pod well before this. */
export const POD_GRACE_PERIOD_MS = 4000;

function since({ zipJob }: Pick<Observation, 'zipJob'>, job: Job): number {
  return Math.max(
    jobStartedAt(zipJob, job) ?? Infinity,
    timeOf(zipJob.status?.attempts?.at(-1)?.finishedAt) ?? 0,
  );
}

/** True if the Job lacks a pod for longer than usual. A suspended Job does not wait for one. */
export function lacksPod(seen: Pick<Observation, 'zipJob' | 'job' | 'pods'>, now: Date): boolean {
  const { zipJob, job, pods } = seen;
  if (!job || pods.length > 0 || zipJob.status?.job?.uid !== job.metadata.uid) return false;
  return zipJob.status?.job?.podUid === undefined && now.getTime() - since(seen, job) > POD_GRACE_PERIOD_MS;
}

/** The same for an unfinished recovery Job. */
export function recoveryLacksPod({ job, pods }: NonNullable<Observation['recovery']>, now: Date): boolean {
  const created = timeOf(job.metadata.creationTimestamp);
  if (created === undefined || pods.length > 0 || isJobFinished(job) || jobFailure(job)) return false;
  return now.getTime() - created > POD_GRACE_PERIOD_MS;
}

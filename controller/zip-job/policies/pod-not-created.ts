import type { Job, Pod } from '#runtime/kube/resources.ts';
import { isJobFinished, isSuspended, jobFailure, jobStartedAt } from '../../cluster/job-state.ts';
import { isEnded } from '../../cluster/pod-state.ts';
import { isStartingLate } from '../../cluster/pod-waiting.ts';
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

/** The same for an unfinished Job that has one pod in all: a recovery or a bucket test. */
function jobLacksPod({ job, pods }: NonNullable<Observation['recovery']>, now: Date): boolean {
  const created = timeOf(job.metadata.creationTimestamp);
  if (created === undefined || pods.length > 0 || isSuspended(job)) return false;
  if (isJobFinished(job) || jobFailure(job)) return false;
  return now.getTime() - created > POD_GRACE_PERIOD_MS;
}

/** The pod that starts late. Its Events say why. */
export function latePod(pods: readonly Pod[], now: Date): Pod | undefined {
  return pods.find((pod) => !isEnded(pod) && isStartingLate(pod, now));
}

/** The pod that starts late, or the Job without a pod, of a recovery or a bucket test. */
export function withoutContainer(
  seen: NonNullable<Observation['recovery']>,
  now: Date,
): Job | Pod | undefined {
  return latePod(seen.pods, now) ?? (jobLacksPod(seen, now) ? seen.job : undefined);
}

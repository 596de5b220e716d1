import { LABELS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { isOwnedBy } from './ownership.ts';
import { timeOf } from './times.ts';

export interface JobEnd {
  readonly reason: string;
  readonly message: string;
}

function jobCondition(job: Job, types: readonly string[]): JobEnd | undefined {
  const condition = job.status?.conditions?.find(
    ({ type, status }) => types.includes(type) && status === 'True',
  );
  return condition && { reason: condition.reason ?? '', message: condition.message ?? '' };
}

/** Why the Job failed. Includes FailureTarget, because Failed waits for every pod to end, on a lost node possibly forever. */
export function jobFailure(job: Job): JobEnd | undefined {
  return jobCondition(job, ['FailureTarget', 'Failed']);
}

export function isJobFinished(job: Job): boolean {
  return jobCondition(job, ['Failed', 'Complete']) !== undefined;
}

/** The queue that admits the Job, also if a webhook of the queue added the label. */
export function queueOf({ metadata }: Job): string | undefined {
  return metadata.labels?.[LABELS.queueName];
}

export function isSuspended({ spec }: Job): boolean {
  return spec?.suspend === true;
}

/** How long the Job was suspended before it started, or is so far. */
export function suspendedMs(job: Job, now: Date): number {
  const created = timeOf(job.metadata.creationTimestamp);
  const end = isSuspended(job) ? now.getTime() : timeOf(job.status?.startTime);
  return created === undefined || end === undefined ? 0 : Math.max(0, end - created);
}

/** True for the Job of an earlier ZipJob of the same name, which Kubernetes garbage-collects. */
export function isLeftOver(job: Job, { metadata }: ZipJob): boolean {
  return (
    job.metadata.deletionTimestamp !== undefined ||
    job.metadata.ownerReferences?.some(
      ({ kind, name, uid }) => kind === 'ZipJob' && name === metadata.name && uid !== metadata.uid,
    ) === true
  );
}

/**
 * When the Job started to wait for its pod, by the API server's clock; undefined for a Job that its queue has not resumed. Only a
 * ZipJob with a queue has such a Job: users can suspend a Job and give it the label of a queue. Only the clock of the Job
 * controller says when a queue resumed a Job: a clock that is behind counts from the creation, and one that is ahead delays what is
 * counted from here by as much.
 */
export function jobStartedAt({ spec }: Pick<ZipJob, 'spec'>, { metadata, status }: Job): number | undefined {
  const started = timeOf(status?.startTime);
  const created = timeOf(metadata.creationTimestamp);
  if (spec.queueName === undefined || created === undefined) return created;
  return started === undefined ? undefined : Math.max(created, started);
}

/** The Job of the ZipJob; ignores a Job of the same name that the controller did not create for it. */
export function ownJob(seen: { readonly job: Job | undefined; readonly zipJob: ZipJob }): Job | undefined {
  return seen.job && isOwnedBy(seen.job, seen.zipJob) ? seen.job : undefined;
}

import { findCondition } from '#crds/conditions.ts';
import { SPEC_DEFAULTS, type ZipJob } from '#crds/zip-job.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { jobStartedAt } from '../../cluster/job-state.ts';
import { type PodWait, suspension } from '../../cluster/pod-waiting.ts';
import { timeOf } from '../../cluster/times.ts';
import { isInTrustedQueue } from '../../queue/trusted-queue.ts';

/** Maximum backoff of the Job controller between two pods. */
const LONGEST_BACKOFF_MS = 360_000;

/** True while the Job is suspended in its queue: Kubernetes removes the start time of a suspended Job. */
function awaitsQueue(zipJob: ZipJob, job: Job): boolean {
  return zipJob.spec.queueName !== undefined && job.status?.startTime === undefined;
}

/** Why a Job that waits for its queue is suspended. */
export function queueWait(zipJob: ZipJob, job: Job): PodWait | undefined {
  const held = suspension(job);
  if (held) return held;
  return awaitsQueue(zipJob, job)
    ? {
        reason: 'AwaitingQueue',
        message: `Job ${job.metadata.name} is suspended until queue ${zipJob.spec.queueName} admits it`,
      }
    : undefined;
}

/** Other inputs of the deadline: the pod, and the queues without a start deadline. */
export interface StartSettings {
  readonly pod?: Pod | undefined;
  readonly trustedQueues: readonly string[];
  /** When finished Jobs last could make room in the quota that the job waits for. */
  readonly freeableAt?: Date | undefined;
}

/** A Job that a queue has not resumed counts from its creation. */
function createdOrStartedAt(zipJob: ZipJob, job: Job): number {
  return jobStartedAt(zipJob, job) ?? timeOf(job.metadata.creationTimestamp) ?? 0;
}

/** When the last attempt was recovered, or the next pod was activated. Until then, the next pod had to wait. */
function recoveredAt({ status }: ZipJob): number {
  return timeOf(findCondition(status?.conditions, 'Recovered')?.lastTransitionTime) ?? 0;
}

function jobSince(zipJob: ZipJob, job: Job, { pod, trustedQueues }: StartSettings): number | undefined {
  if (awaitsQueue(zipJob, job) && isInTrustedQueue(zipJob, trustedQueues)) return undefined;
  const started = createdOrStartedAt(zipJob, job);
  const lastEnd = timeOf(zipJob.status?.attempts?.at(-1)?.finishedAt);
  if (lastEnd === undefined) return started;
  const waited = timeOf(pod?.metadata.creationTimestamp) ?? Math.max(lastEnd, started) + LONGEST_BACKOFF_MS;
  return Math.max(waited, recoveredAt(zipJob));
}

function heldSince(zipJob: ZipJob): number | undefined {
  const waiting = findCondition(zipJob.status?.conditions, 'Waiting');
  return waiting?.status === 'True' ? timeOf(waiting.lastTransitionTime) : undefined;
}

/**
 * The time by which a zipper must have started, counted from the creation of the Job. After an attempt, it is counted from
 * the creation of the next pod; until that exists, the backoff of the Job is added. Recovery does not count. Without a Job, it is counted from the
 * time at which an external reason started to block the job. Undefined in our queue and in a trusted queue of
 * spec.queueName. In any other queue, the job would otherwise hold its slot forever. While finished Jobs make room in a quota, the
 * deadline moves.
 */
export function startDeadline(
  zipJob: ZipJob,
  job: Job | undefined,
  settings: StartSettings,
): Date | undefined {
  const since = job ? jobSince(zipJob, job, settings) : heldSince(zipJob);
  if (since === undefined) return undefined;
  const seconds = zipJob.spec.startDeadlineSeconds ?? SPEC_DEFAULTS.startDeadlineSeconds;
  return new Date(Math.max(since, settings.freeableAt?.getTime() ?? 0) + seconds * 1000);
}

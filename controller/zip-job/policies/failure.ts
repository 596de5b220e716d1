import { FAILURE_CODES } from '#crds/exit-codes.ts';
import { type Attempt, COUNTED_CLASSES, SPEC_DEFAULTS, type ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { isJobFinished, jobFailure } from '../../cluster/job-state.ts';
import type { Outcome, OwnedStatus } from '../observation.ts';

const MAX_OOMS = 2;

function countOf(attempts: readonly Attempt[], ...classes: readonly Attempt['class'][]): number {
  return attempts.filter((attempt) => classes.includes(attempt.class)).length;
}

function isFailureCode(reason: string | undefined): reason is string {
  return reason !== undefined && Object.hasOwn(FAILURE_CODES, reason);
}

const RESULT_MISSING: Outcome = {
  reason: 'ResultMissing',
  message: 'the zipper succeeded without reporting a result, and the bucket does not contain its archive',
};

function afterLast(last: Attempt): Outcome | undefined {
  if (last.class === 'permanent')
    return {
      reason: last.reason ?? 'Internal',
      message: last.message ?? `the zipper exited with code ${last.exitCode ?? 'unknown'}`,
    };
  return last.class === 'success' ? RESULT_MISSING : undefined;
}

function exhausted(last: Attempt | undefined, text: string): Outcome {
  const reason = isFailureCode(last?.reason) ? last.reason : 'BackoffLimitExceeded';
  return { reason, message: last?.message === undefined ? text : `${last.message}; ${text}` };
}

/** The outcome if the Job has ended: it creates no further pod, regardless of the recorded attempts. */
function endOfJob(job: Job, last: Attempt | undefined): Outcome | undefined {
  const end = jobFailure(job);
  if (end) return exhausted(last, `the Job failed: ${end.reason} ${end.message}`.trim());
  // The Job is complete, but its pod was deleted before the controller observed its exit.
  return isJobFinished(job) ? RESULT_MISSING : undefined;
}

export function maxAttemptsOf(zipJob: ZipJob): number {
  return zipJob.spec.maxAttempts ?? SPEC_DEFAULTS.maxAttempts;
}

/** Failed attempts that count against maxAttempts. The Job also counts pods that the kubelet rejected. */
export function countedFailures({ attempts = [] }: OwnedStatus): number {
  return countOf(attempts, ...COUNTED_CLASSES);
}

/**
 * Failures after which the Job fails by itself. It cannot tell a rejected pod from a failed attempt, so this leaves room for the
 * disruptions of a job, and the controller lowers it when the attempts of the job are used up.
 */
export function jobBackoffLimit(
  zipJob: ZipJob,
  { maxDisruptions }: { readonly maxDisruptions: number },
): number {
  return maxAttemptsOf(zipJob) - 1 + maxDisruptions;
}

/**
 * The final failure after a failed attempt was recovered; undefined if the Job starts another pod.
 * Counted here, because the Job counts other pods too, and may be unable to end.
 */
export function giveUp(
  zipJob: ZipJob,
  job: Job | undefined,
  given: { readonly status: OwnedStatus; readonly maxDisruptions: number },
): Outcome | undefined {
  const attempts = given.status.attempts ?? [];
  const last = attempts.at(-1);
  const final = last && afterLast(last);
  if (final) return final;
  if (countOf(attempts, 'oom') >= MAX_OOMS)
    return { reason: 'OutOfMemory', message: 'the zipper ran out of memory twice' };
  const counted = countedFailures(given.status);
  const disruptions = (given.status.attemptsTotal ?? 0) - counted;
  if (disruptions > given.maxDisruptions)
    return { reason: 'TooManyDisruptions', message: `the zipper was disrupted ${disruptions} times` };
  const maxAttempts = maxAttemptsOf(zipJob);
  if (counted >= maxAttempts) return exhausted(last, `${counted} of ${maxAttempts} attempts failed`);
  return job && endOfJob(job, last);
}

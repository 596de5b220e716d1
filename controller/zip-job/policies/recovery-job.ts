import type { Job, Pod } from '#runtime/kube/resources.ts';
import { isEnded, scheduledAt } from '../../cluster/pod-state.ts';
import { type PodWait, whyNoContainer } from '../../cluster/pod-waiting.ts';
import { describeFailure, terminationMessageOf } from '../../cluster/termination-message.ts';
import { timeOf } from '../../cluster/times.ts';
import { RECOVERY_GRACE_SECONDS } from '../../config/recovery-settings.ts';
import type { Observation } from '../observation.ts';

/** Delay before the second recovery Job of an attempt. */
const FIRST_RETRY_MS = 10_000;

/**
 * How long recovery waits for each Job, at least. The sweep of a Job finds uploads that started until two seconds after its
 * creation (`windowOf` of the zipper), so those of the next attempt have to start later.
 */
export const LEAST_TIME_MS = 10_000;

/**
 * When the pod of a recovery Job has had its time. Waiting for a node or for quota does not count. Undefined while the Job
 * has no scheduled pod: the Job controller creates it.
 */
export function overdueAt(
  { pods }: NonNullable<Observation['recovery']>,
  settings: { readonly recoveryDeadlineSeconds: number },
): Date | undefined {
  const current = pods.filter((pod) => !isEnded(pod) && pod.metadata.deletionTimestamp === undefined);
  const times = current.map(scheduledAt);
  const known = times.filter((time) => time !== undefined);
  if (known.length === 0 || known.length < times.length) return undefined;
  const seconds = settings.recoveryDeadlineSeconds + RECOVERY_GRACE_SECONDS;
  return new Date(Math.max(...known) + seconds * 1000);
}

/**
 * When a failed recovery Job is replaced. The time between two Jobs is the time since the attempt was lost, so it doubles,
 * up to five minutes, and is the same after a restart of the controller.
 */
export function retryAt(
  { metadata }: Job,
  lostAt: number,
  at: { readonly now: Date; readonly recoveryRetrySeconds: number },
): Date {
  const created = timeOf(metadata.creationTimestamp) ?? at.now.getTime();
  const longest = at.recoveryRetrySeconds * 1000;
  return new Date(created + Math.min(longest, Math.max(FIRST_RETRY_MS, created - lostAt)));
}

function failureOf(pod: Pod): string | undefined {
  const message = terminationMessageOf(pod);
  if (!message || !('failure' in message)) return undefined;
  const { code } = message.failure;
  return `${code}: ${describeFailure(message.failure, 'the recovery pod failed')}`;
}

/** Why recovery has not ended yet: what its pods wait for, or how they failed. */
export function recoveryWait(
  pods: readonly Pod[],
  now: Date,
  refusal: PodWait | undefined,
): string | undefined {
  const wait = whyNoContainer({ pods, warning: refusal }, now);
  if (wait) return `${wait.reason}: ${wait.message}`;
  return pods.map(failureOf).findLast((failure) => failure !== undefined);
}

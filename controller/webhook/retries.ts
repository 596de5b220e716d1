import { createHash } from 'node:crypto';
import { rfc3339 } from '#crds/conditions.ts';
import type { JobEndpoint, JobWebhookState, WebhookEvent, WebhookState, ZipJob } from '#crds/zip-job.ts';
import { zipJobId } from '#crds/zip-job-facts.ts';
import { defined } from '#runtime/collections/optional.ts';
import { inSeconds } from '../cluster/times.ts';
import type { DeliveryResponse } from './dispatcher.ts';

const KEPT_DELIVERIES = 10;
const MAX_RETRY_AFTER_SECONDS = 86_400;
const MAX_JITTER = 0.1;

/** The same for every attempt of every replica and at every endpoint, so that receivers can deduplicate. */
export function deliveryIdOf(zipJob: ZipJob, event: WebhookEvent): string {
  return `msg_${zipJobId(zipJob)}_${event}`;
}

export function eventOf(phase: 'Succeeded' | 'Failed' | 'Cancelled'): WebhookEvent {
  return phase === 'Succeeded' ? 'COMPLETED' : 'FAILED';
}

/** The initial webhook state of a job that finishes now. Without an event, nothing is sent to any endpoint. */
export function firstWebhookState(
  zipJob: ZipJob,
  event: WebhookEvent | undefined,
  now: Date,
): JobWebhookState {
  function stateOf(endpoint: JobEndpoint | undefined): WebhookState {
    return event !== undefined && endpoint?.events.includes(event) === true
      ? {
          state: 'Pending',
          deliveryId: deliveryIdOf(zipJob, event),
          attempts: 0,
          nextAttemptAt: rfc3339(now),
        }
      : { state: 'NotConfigured' };
  }
  const { webhook } = zipJob.spec;
  const endpoints = webhook?.endpoints?.map((endpoint) => ({ name: endpoint.name, ...stateOf(endpoint) }));
  return { ...stateOf(webhook), ...defined({ endpoints }) };
}

/** Up to 10 % jitter, derived from id and attempt: it differs between jobs but not between replicas. */
function jitter(deliveryId: string, attempt: number): number {
  const bytes = createHash('sha256').update(`${deliveryId}/${attempt}`).digest();
  return (bytes.readUInt32BE(0) / 0xff_ff_ff_ff) * MAX_JITTER;
}

/** Identifies one attempt, so that the result of any other attempt is ignored. */
export function attemptIdOf({ deliveryId = '', replayNonce = '', attempts = 0 }: WebhookState): string {
  return JSON.stringify([deliveryId, replayNonce, attempts]);
}

const GONE = 410;
/** The endpoint returned 410 Gone. */
export function isGone(status: number | undefined): boolean {
  return status === GONE;
}

export function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status <= 299;
}

/** Resends the event with a full set of retries. The unchanged id lets the receiver deduplicate it. */
export function replayed(before: WebhookState, nonce: string, now: Date): WebhookState {
  return before.deliveryId === undefined
    ? { ...before, replayNonce: nonce }
    : { ...before, state: 'Pending', attempts: 0, nextAttemptAt: rfc3339(now), replayNonce: nonce };
}

/** True if a delivery ended for another reason than its attempts. */
export function hasEndedEarly(
  { state, attempts = 0, lastStatus }: WebhookState,
  schedule: readonly number[],
): boolean {
  // Without an attempt, the last status is from before a replay.
  const isLast = attempts > 0 && (schedule[attempts] === undefined || isGone(lastStatus));
  return state === 'Exhausted' && !isLast;
}

/** The state after a delivery attempt to one endpoint. `schedule` is the wait before each attempt, in seconds. */
export function afterDelivery(
  before: WebhookState,
  response: DeliveryResponse,
  at: { readonly schedule: readonly number[]; readonly now: Date },
): WebhookState {
  const { delivery } = response;
  const attempts = (before.attempts ?? 0) + 1;
  const { nextAttemptAt: _due, lastStatus: _last, ...kept } = before;
  const common = {
    ...kept,
    attempts,
    ...defined({ lastStatus: delivery.status }),
    log: [...(before.log ?? []), { ...delivery, attempt: attempts }].slice(-KEPT_DELIVERIES),
  };
  if (isSuccess(delivery.status)) return { ...common, state: 'Delivered', deliveredAt: rfc3339(at.now) };
  const planned = at.schedule[attempts];
  if (planned === undefined || isGone(delivery.status)) return { ...common, state: 'Exhausted' };
  const retryAfterSeconds = Math.min((response.retryAfterMs ?? 0) / 1000, MAX_RETRY_AFTER_SECONDS);
  const wait = Math.max(planned * (1 + jitter(before.deliveryId ?? '', attempts)), retryAfterSeconds);
  return { ...common, state: 'Pending', nextAttemptAt: inSeconds(at.now, wait) };
}

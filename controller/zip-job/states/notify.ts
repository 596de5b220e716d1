import { ANNOTATIONS } from '#crds/api-group.ts';
import { REASONS } from '#crds/conditions.ts';
import {
  DEFAULT_ENDPOINT,
  endpointAnnotation,
  endpointsOf,
  findEndpoint,
  overallState,
} from '#crds/webhook-endpoints.ts';
import type { EndpointDelivery, JobEndpoint, JobWebhookState, WebhookState } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { commandOf } from '../../cluster/command.ts';
import { timeOf } from '../../cluster/times.ts';
import type { EventNote } from '../../reconciling/events.ts';
import { isDisabled, isRemoved } from '../../webhook/endpoint.ts';
import { deliveryTo, withDelivery } from '../../webhook/job-deliveries.ts';
import { afterDelivery, hasEndedEarly, replayed } from '../../webhook/retries.ts';
import type { Action, OwnedStatus, Situation, Step } from '../observation.ts';
import { withCondition } from '../owned-status.ts';
import { atTheLatest } from '../requeue.ts';

/** One endpoint of the webhook of a job that finished. */
interface Target {
  readonly name: string;
  /** State of the delivery to it. */
  readonly before: WebhookState;
}

/** Names an endpoint in a message, unless the project may have only the default one. */
function at(name: string, preposition: string): string {
  return name === DEFAULT_ENDPOINT ? '' : ` ${preposition} endpoint ${name}`;
}

function deliveredNote(webhook: WebhookState, name: string): EventNote {
  const last = webhook.log?.at(-1);
  const response = last?.status === undefined ? (last?.error ?? 'no response') : `HTTP ${last.status}`;
  if (webhook.state === 'Delivered')
    return {
      type: 'Normal',
      reason: 'WebhookDelivered',
      message: `the webhook was delivered${at(name, 'to')} (${response})`,
    };
  const next = webhook.state === 'Exhausted' ? 'no attempts are left' : `next at ${webhook.nextAttemptAt}`;
  return {
    type: 'Warning',
    reason: webhook.state === 'Exhausted' ? 'WebhookExhausted' : 'WebhookFailed',
    message: `webhook attempt ${webhook.attempts}${at(name, 'at')} failed (${response}); ${next}`,
  };
}

/** What happens to the delivery to one endpoint. */
interface Delivery {
  readonly state: WebhookState;
  readonly actions?: readonly Action[];
  readonly events?: readonly EventNote[];
  readonly requeueAfterMs?: number;
}

/** Why a delivery ends without an attempt. */
type Unsent = NonNullable<EndpointDelivery['reason']>;

function replay(now: Date, { name, before }: Target, nonce: string): Delivery {
  const { reason: _reason, ...state }: WebhookState & { reason?: string } = replayed(before, nonce, now);
  if (state.state !== 'Pending') return { state };
  const message = `the webhook is being resent${at(name, 'to')} as requested`;
  return { state, events: [{ type: 'Normal', reason: 'WebhookPending', message }] };
}

/** Nothing is sent to an endpoint that is disabled; the event can be replayed once it is enabled again. */
function end({ name, before }: Target, reason: Unsent): Delivery {
  const { nextAttemptAt: _due, ...rest } = before;
  const noted = name === DEFAULT_ENDPOINT ? {} : { reason };
  const message = name === DEFAULT_ENDPOINT ? REASONS[reason] : `${REASONS[reason]} Endpoint: ${name}`;
  return {
    state: { ...rest, ...noted, state: 'Exhausted' },
    events: [{ type: 'Warning', reason, message }],
  };
}

function deliver({ seen, now }: Situation, target: Target): Delivery {
  const { name, before } = target;
  const { url } = findEndpoint<JobEndpoint>(seen.zipJob.spec.webhook, name) ?? {};
  if (isDisabled(seen.project, { name, ...defined({ url }) })) return end(target, 'EndpointDisabled');
  if (isRemoved(seen.project, target)) return end(target, 'EndpointRemoved');
  const dueMs = (timeOf(before.nextAttemptAt) ?? 0) - now.getTime();
  return dueMs > 0
    ? { state: before, requeueAfterMs: dueMs }
    : { state: before, actions: [{ kind: 'deliverWebhook', endpoint: name }] };
}

function notifyOne(s: Situation, target: Target): Delivery {
  const { now, seen, config } = s;
  const { name, before } = target;
  const delivery = seen.deliveries.get(name) ?? { kind: 'idle' };
  if (delivery.kind === 'inFlight') return { state: before };
  if (before.state === 'Pending' && delivery.kind === 'responded') {
    const state = afterDelivery(before, delivery.response, { schedule: config.webhookSchedule, now });
    const requeueAfterMs = (timeOf(state.nextAttemptAt) ?? now.getTime()) - now.getTime();
    return { state, events: [deliveredNote(state, name)], requeueAfterMs };
  }
  const annotation = endpointAnnotation(ANNOTATIONS.replayWebhook, name);
  const nonce = commandOf(seen.zipJob.metadata, annotation, before.replayNonce);
  if (nonce !== undefined) return replay(now, target, nonce);
  return before.state === 'Pending' ? deliver(s, target) : { state: before };
}

/** Why endpoints did not get the event. Only a disabled default endpoint ends without a reason and before its last attempt. */
function undelivered(webhook: JobWebhookState, schedule: readonly number[]): Unsent | 'Exhausted' {
  const reasons = endpointsOf<EndpointDelivery>(webhook)
    .filter(({ state }) => state === 'Exhausted')
    .map(({ name, reason, ...state }) => {
      const isUnsent = name === DEFAULT_ENDPOINT && hasEndedEarly(state, schedule);
      return reason ?? (isUnsent ? 'EndpointDisabled' : 'Exhausted');
    });
  return reasons.includes('Exhausted') ? 'Exhausted' : (reasons[0] ?? 'Exhausted');
}

/** The condition after the deliveries changed. */
function notified(status: OwnedStatus, now: Date, schedule: readonly number[]): OwnedStatus {
  const { webhook = { state: 'NotConfigured' } } = status;
  switch (overallState(webhook)) {
    case 'Pending':
      return withCondition(status, 'Notified', { status: 'False', reason: 'WebhookPending', now });
    case 'Exhausted':
      return withCondition(status, 'Notified', {
        status: 'False',
        reason: undelivered(webhook, schedule),
        now,
      });
    case 'Delivered':
      return withCondition(status, 'Notified', { status: 'True', reason: 'Delivered', now });
    case 'NotConfigured':
      return status;
  }
}

/** Delivers the webhook of a finished job to each endpoint, whatever happens at the others. */
export function notify({ status, now, ...s }: Situation): Step {
  const { webhook: first } = status;
  const targets = endpointsOf<WebhookState>(first).flatMap(({ name }): readonly Target[] => {
    const before = deliveryTo(first, name);
    return before ? [{ name, before }] : [];
  });
  const deliveries = targets.map((target) => ({ ...target, ...notifyOne({ ...s, status, now }, target) }));
  const webhook = deliveries
    .filter(({ state, before }) => state !== before)
    .reduce((states, { name, state }) => states && withDelivery(states, name, state), first);
  const { webhookSchedule } = s.config;
  return deliveries.reduce<Step>((step, { requeueAfterMs }) => atTheLatest(step, requeueAfterMs), {
    status:
      webhook === first ? status : notified({ ...status, ...defined({ webhook }) }, now, webhookSchedule),
    actions: deliveries.flatMap(({ actions = [] }) => actions),
    events: deliveries.flatMap(({ events = [] }) => events),
  });
}

import { rfc3339 } from '#crds/conditions.ts';
import type { WebhookDelivery } from '#crds/zip-job.ts';
import { type EndpointState, endpointDigest, type ZipProject } from '#crds/zip-project.ts';
import { timeOf } from '../kube-state/times.ts';
import { isGone, isSuccess } from './notification.ts';

/** Failures further apart than the longest wait of the schedule, and some, are not one outage. */
const ONE_OUTAGE_MS = 48 * 3_600_000;
/** Successes are not written down more often than this. */
const LAST_DELIVERY_STEP_MS = 60_000;

/** The state of the endpoint at the URL; one that was seen at another URL is not it. */
const stateOf = (before: EndpointState | undefined, url: string): EndpointState => {
  const endpoint = endpointDigest(url);
  if (before?.endpoint === endpoint) return before;
  const { test, enabledNonce } = before ?? {};
  return {
    endpoint,
    state: 'Enabled',
    ...(test && { test }),
    ...(enabledNonce !== undefined && { enabledNonce }),
  };
};

export interface EndpointAnswer {
  readonly url: string;
  readonly delivery: WebhookDelivery;
}

const failed = (
  before: EndpointState,
  { status }: WebhookDelivery,
  at: { readonly now: Date; readonly disableAfterSeconds: number },
): EndpointState => {
  const nowMs = at.now.getTime();
  const last = timeOf(before.lastDelivery);
  const isOneOutage = last !== undefined && nowMs - last <= ONE_OUTAGE_MS;
  const failingSince = (isOneOutage ? before.failingSince : undefined) ?? rfc3339(at.now);
  const common = { ...before, failingSince, lastDelivery: rfc3339(at.now) };
  if (before.state === 'Disabled') return common;
  if (isGone(status)) return { ...common, state: 'Disabled', reason: 'Gone' };
  const isTooLong = nowMs - (timeOf(failingSince) ?? nowMs) >= at.disableAfterSeconds * 1000;
  return isTooLong ? { ...common, state: 'Disabled', reason: 'FailingTooLong' } : common;
};

/**
 * What does an answer say about the endpoint? Days of nothing but failures, or a 410, disable it; only a person enables it
 * again.
 */
export const afterAnswer = (
  before: EndpointState | undefined,
  { url, delivery }: EndpointAnswer,
  at: { readonly now: Date; readonly disableAfterSeconds: number },
): EndpointState => {
  const state = stateOf(before, url);
  if (!isSuccess(delivery.status)) return failed(state, delivery, at);
  const { failingSince, ...healthy } = state;
  const isRecent = at.now.getTime() - (timeOf(state.lastDelivery) ?? 0) < LAST_DELIVERY_STEP_MS;
  return isRecent && failingSince === undefined ? state : { ...healthy, lastDelivery: rfc3339(at.now) };
};

/** A person says that the endpoint works again. */
export const enabled = (before: EndpointState | undefined, url: string, nonce: string): EndpointState => {
  const { failingSince: _since, reason: _reason, ...rest } = stateOf(before, url);
  return { ...rest, state: 'Enabled', enabledNonce: nonce };
};

/** Is nothing to be sent to the URL until a person enables it? */
export const isDisabled = (project: ZipProject | undefined, url: string): boolean => {
  const state = project?.status?.webhook;
  return state?.state === 'Disabled' && state.endpoint === endpointDigest(url);
};

import { rfc3339 } from '#crds/conditions.ts';
import { DEFAULT_ENDPOINT, findEndpoint, type Named } from '#crds/webhook-endpoints.ts';
import type { WebhookDelivery } from '#crds/zip-job.ts';
import { type EndpointState, endpointDigest, endpointOf, type ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { timeOf } from '../cluster/times.ts';
import { isGone, isSuccess } from './retries.ts';

/** Failures further apart than the longest wait of the schedule plus a margin are separate outages. */
const ONE_OUTAGE_MS = 48 * 3_600_000;
/** Minimum interval between two status writes of a success. */
const LAST_DELIVERY_STEP_MS = 60_000;

/** The state of this endpoint; the state of an earlier one does not apply. */
function stateOf(before: EndpointState | undefined, current: string): EndpointState {
  const endpoint = endpointDigest(current);
  if (before?.endpoint === endpoint) return before;
  const { test, enabledNonce } = before ?? {};
  return {
    endpoint,
    state: 'Enabled',
    ...(test && { test }),
    ...defined({ enabledNonce }),
  };
}

export interface EndpointResponse extends Named {
  readonly endpoint: string;
  /** Host of the URL; undefined without a valid one. */
  readonly host?: string;
  readonly delivery: WebhookDelivery;
}

/** The state with this host of its URL; unchanged if the host is unknown. */
export function withHost<T extends EndpointState | undefined>(
  state: T,
  host: string | undefined,
): T | EndpointState {
  return host === undefined || state?.host === host ? state : { ...state, host };
}

export function withoutHost({ host: _host, ...rest }: EndpointState): EndpointState {
  return rest;
}

function failed(
  before: EndpointState,
  { status }: WebhookDelivery,
  at: { readonly now: Date; readonly disableAfterSeconds: number },
): EndpointState {
  const nowMs = at.now.getTime();
  const last = timeOf(before.lastDelivery);
  const isOneOutage = last !== undefined && nowMs - last <= ONE_OUTAGE_MS;
  const failingSince = (isOneOutage ? before.failingSince : undefined) ?? rfc3339(at.now);
  const common = { ...before, failingSince, lastDelivery: rfc3339(at.now) };
  if (before.state === 'Disabled') return common;
  if (isGone(status)) return { ...common, state: 'Disabled', reason: 'Gone' };
  const isTooLong = nowMs - (timeOf(failingSince) ?? nowMs) >= at.disableAfterSeconds * 1000;
  return isTooLong ? { ...common, state: 'Disabled', reason: 'FailingTooLong' } : common;
}

/**
 * The endpoint state after a delivery. Days of failures without a success, or a 410, disable it; only a user enables it
 * again.
 */
export function afterResponse(
  before: EndpointState | undefined,
  { endpoint, host, delivery }: Omit<EndpointResponse, 'name'>,
  at: { readonly now: Date; readonly disableAfterSeconds: number },
): EndpointState {
  const state = withHost(stateOf(before, endpoint), host);
  if (!isSuccess(delivery.status)) return failed(state, delivery, at);
  const { failingSince, ...healthy } = state;
  const isRecent = at.now.getTime() - (timeOf(state.lastDelivery) ?? 0) < LAST_DELIVERY_STEP_MS;
  return isRecent && failingSince === undefined ? state : { ...healthy, lastDelivery: rfc3339(at.now) };
}

/** A user enabled the endpoint again. The host is unknown until the next delivery: the URL in the Secret may be a new one. */
export function enabled(before: EndpointState | undefined, endpoint: string, nonce: string): EndpointState {
  const { failingSince: _since, reason: _reason, ...rest } = withoutHost(stateOf(before, endpoint));
  return { ...rest, state: 'Enabled', enabledNonce: nonce };
}

/** What a ZipJob has of an endpoint. */
type EndpointOfJob = Named & { readonly url?: string };

/** True if nothing is sent to the endpoint until a user enables it. */
export function isDisabled(project: ZipProject | undefined, endpoint: EndpointOfJob): boolean {
  const state = findEndpoint<EndpointState>(project?.status?.webhook, endpoint.name);
  return state?.state === 'Disabled' && state.endpoint === endpointDigest(endpointOf(endpoint));
}

/** True if the project no longer has the endpoint. Events to the default one are sent as long as its Secret exists. */
export function isRemoved(project: ZipProject | undefined, { name }: Named): boolean {
  return project !== undefined && name !== DEFAULT_ENDPOINT && !findEndpoint(project.spec.webhook, name);
}

import { ANNOTATIONS } from '#crds/api-group.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '#crds/zip-job.ts';
import {
  type EndpointState,
  endpointDigest,
  endpointOf,
  webhookHost,
  type ZipProject,
} from '#crds/zip-project.ts';
import { isCommandPending } from '../changes/controller-command.ts';

/** Result of the last test event. */
export interface WebhookTest {
  readonly at: string;
  readonly ok: boolean;
  readonly durationMs: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Reason for a missing response. */
  readonly error: string | null;
}

/** State of the endpoint at the URL. */
export interface WebhookEndpoint {
  /** Disabled: no event is sent until a user enables the endpoint. */
  readonly state: 'Enabled' | 'Disabled';
  readonly reason: string | null;
  readonly lastDeliveryAt: string | null;
  readonly failingSince: string | null;
}

/**
 * The webhook of a project for display; null for unset or unknown fields. Contains neither the signing secret nor the URL, which
 * is a credential for many receivers.
 */
export interface Webhook {
  readonly namespace: string;
  readonly isSet: boolean;
  /** Host of the URL. With a URL in the Secret, null before the first delivery if the user may not read the Secret. */
  readonly host: string | null;
  /** Users who may view the ZipProject can read a URL there. */
  readonly urlIsIn: 'Secret' | 'ZipProject' | null;
  readonly events: readonly WebhookEvent[];
  /** False if the project disables the webhook. */
  readonly enabled: boolean;
  readonly endpoint: WebhookEndpoint | null;
  readonly lastTest: WebhookTest | null;
  /** A requested test is still running. */
  readonly testPending: boolean;
}

function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status <= 299;
}

function testOf(test: EndpointState['test']): WebhookTest | null {
  return test
    ? {
        at: test.at,
        ok: isSuccess(test.status),
        durationMs: test.durationMs,
        status: test.status ?? null,
        error: test.error ?? null,
      }
    : null;
}

/** Ignores a state that belongs to a previous endpoint. */
function stateOf({ spec: { webhook }, status }: ZipProject): WebhookEndpoint | null {
  const state = status?.webhook;
  if (!state || webhook === undefined || state.endpoint !== endpointDigest(endpointOf(webhook))) return null;
  return {
    state: state.state ?? 'Enabled',
    reason: state.reason ?? null,
    lastDeliveryAt: state.lastDelivery ?? null,
    failingSince: state.failingSince ?? null,
  };
}

function urlOf({ spec: { webhook }, status }: ZipProject): Pick<Webhook, 'host' | 'urlIsIn'> {
  if (webhook === undefined) return { host: null, urlIsIn: null };
  if (webhook.url === undefined) return { host: status?.webhook?.host ?? null, urlIsIn: 'Secret' };
  return { host: webhookHost(webhook.url) ?? null, urlIsIn: 'ZipProject' };
}

function isTestPending({ metadata, status }: ZipProject): boolean {
  return isCommandPending({ metadata }, ANNOTATIONS.testWebhook, status?.webhook?.test?.nonce);
}

export function toWebhook(project: ZipProject): Webhook {
  const { metadata, spec, status } = project;
  return {
    namespace: metadata.namespace,
    isSet: spec.webhook !== undefined,
    ...urlOf(project),
    events: spec.webhook ? (spec.webhook.events ?? WEBHOOK_EVENTS) : [],
    enabled: spec.webhook !== undefined && spec.webhook.enabled !== false,
    endpoint: stateOf(project),
    lastTest: testOf(status?.webhook?.test),
    testPending: isTestPending(project),
  };
}

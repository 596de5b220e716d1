import { ANNOTATIONS } from '#crds/api-group.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '#crds/zip-job.ts';
import { type EndpointState, endpointDigest, type ZipProject } from '#crds/zip-project.ts';
import { isOrderPending } from './ask-controller.ts';

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

/** The webhook of a project for display; null for unset or unknown fields. Never contains the signing secret. */
export interface Webhook {
  readonly namespace: string;
  readonly url: string | null;
  readonly events: readonly WebhookEvent[];
  /** False if the project disables the webhook. */
  readonly enabled: boolean;
  readonly endpoint: WebhookEndpoint | null;
  readonly lastTest: WebhookTest | null;
  /** A requested test is still running. */
  readonly testPending: boolean;
}

const isSuccess = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status <= 299;

const testOf = (test: EndpointState['test']): WebhookTest | null =>
  test
    ? {
        at: test.at,
        ok: isSuccess(test.status),
        durationMs: test.durationMs,
        status: test.status ?? null,
        error: test.error ?? null,
      }
    : null;

/** Ignores a state that belongs to a previous URL. */
const endpointOf = (state: EndpointState | undefined, url: string | undefined): WebhookEndpoint | null => {
  if (!state || url === undefined || state.endpoint !== endpointDigest(url)) return null;
  return {
    state: state.state ?? 'Enabled',
    reason: state.reason ?? null,
    lastDeliveryAt: state.lastDelivery ?? null,
    failingSince: state.failingSince ?? null,
  };
};

const isTestPending = ({ metadata, status }: ZipProject): boolean =>
  isOrderPending({ metadata }, ANNOTATIONS.testWebhook, status?.webhook?.test?.nonce);

export const toWebhook = (project: ZipProject): Webhook => {
  const { metadata, spec, status } = project;
  return {
    namespace: metadata.namespace,
    url: spec.webhook?.url ?? null,
    events: spec.webhook ? (spec.webhook.events ?? WEBHOOK_EVENTS) : [],
    enabled: spec.webhook !== undefined && spec.webhook.enabled !== false,
    endpoint: endpointOf(status?.webhook, spec.webhook?.url),
    lastTest: testOf(status?.webhook?.test),
    testPending: isTestPending(project),
  };
};

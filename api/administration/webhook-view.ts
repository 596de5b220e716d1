import { WEBHOOK_EVENTS, type WebhookEvent } from '#crds/zip-job.ts';
import { type EndpointState, endpointDigest, type ZipProject } from '#crds/zip-project.ts';

/** How the last test event went. */
export interface WebhookTest {
  readonly at: string;
  readonly ok: boolean;
  readonly durationMs: number;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  /** Why no answer came. */
  readonly error: string | null;
}

/** What is known of the endpoint at the URL. */
export interface WebhookEndpoint {
  /** Disabled: nothing is sent until somebody enables it. */
  readonly state: 'Enabled' | 'Disabled';
  readonly reason: string | null;
  readonly lastDeliveryAt: string | null;
  readonly failingSince: string | null;
}

/** The webhook of a project as it is shown; null is what is not set or not known. The signing secret is never in it. */
export interface Webhook {
  readonly namespace: string;
  readonly url: string | null;
  readonly events: readonly WebhookEvent[];
  /** False: no event is sent, as the project says so. */
  readonly enabled: boolean;
  readonly endpoint: WebhookEndpoint | null;
  readonly lastTest: WebhookTest | null;
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

/** What was seen at another URL says nothing of this one. */
const endpointOf = (state: EndpointState | undefined, url: string | undefined): WebhookEndpoint | null => {
  if (!state || url === undefined || state.endpoint !== endpointDigest(url)) return null;
  return {
    state: state.state ?? 'Enabled',
    reason: state.reason ?? null,
    lastDeliveryAt: state.lastDelivery ?? null,
    failingSince: state.failingSince ?? null,
  };
};

export const toWebhook = ({ metadata, spec, status }: ZipProject): Webhook => ({
  namespace: metadata.namespace,
  url: spec.webhook?.url ?? null,
  events: spec.webhook ? (spec.webhook.events ?? WEBHOOK_EVENTS) : [],
  enabled: spec.webhook !== undefined && spec.webhook.enabled !== false,
  endpoint: endpointOf(status?.webhook, spec.webhook?.url),
  lastTest: testOf(status?.webhook?.test),
});

import { ANNOTATIONS } from '#crds/api-group.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '#crds/zip-job.ts';
import { type EndpointState, endpointDigest, type ZipProject } from '#crds/zip-project.ts';
import { isOrderPending } from './ask-controller.ts';

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
  /** A test was asked for that has not ended. */
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

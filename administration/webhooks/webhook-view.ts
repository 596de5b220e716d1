import { ANNOTATIONS } from '#crds/api-group.ts';
import { DEFAULT_ENDPOINT, endpointAnnotation, endpointsOf, findEndpoint } from '#crds/webhook-endpoints.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '#crds/zip-job.ts';
import {
  type EndpointState,
  endpointDigest,
  endpointOf,
  type ProjectEndpoint,
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
 * One endpoint of the webhook of a project for display; null for unset or unknown fields. Contains neither the signing secret nor the URL, which
 * is a credential for many receivers.
 */
export interface Webhook {
  readonly namespace: string;
  /** Name of the endpoint. */
  readonly name: string;
  readonly isSet: boolean;
  /** Host of the URL. With a URL in the Secret, null before the first delivery if the user may not read the Secret. */
  readonly host: string | null;
  /** Users who may view the ZipProject can read a URL there. */
  readonly urlIsIn: 'Secret' | 'ZipProject' | null;
  readonly events: readonly WebhookEvent[];
  /** False if the project disables the endpoint. */
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

/** One endpoint of a ZipProject. */
interface Seen {
  readonly name: string;
  readonly spec: ProjectEndpoint | undefined;
  readonly state: EndpointState | undefined;
}

/** Ignores a state that belongs to a previous URL. */
function stateOf({ name, spec, state }: Seen): WebhookEndpoint | null {
  if (!state || spec === undefined || state.endpoint !== endpointDigest(endpointOf({ ...spec, name })))
    return null;
  return {
    state: state.state ?? 'Enabled',
    reason: state.reason ?? null,
    lastDeliveryAt: state.lastDelivery ?? null,
    failingSince: state.failingSince ?? null,
  };
}

function urlOf({ spec, state }: Seen): Pick<Webhook, 'host' | 'urlIsIn'> {
  if (spec === undefined) return { host: null, urlIsIn: null };
  if (spec.url === undefined) return { host: state?.host ?? null, urlIsIn: 'Secret' };
  return { host: webhookHost(spec.url) ?? null, urlIsIn: 'ZipProject' };
}

/** The endpoint with this name, also if the project does not have it. */
export function toWebhook({ metadata, ...project }: ZipProject, name = DEFAULT_ENDPOINT): Webhook {
  const spec = findEndpoint<ProjectEndpoint>(project.spec.webhook, name);
  const state = findEndpoint<EndpointState>(project.status?.webhook, name);
  const seen = { name, spec, state };
  const annotation = endpointAnnotation(ANNOTATIONS.testWebhook, name);
  return {
    namespace: metadata.namespace,
    name,
    isSet: spec !== undefined,
    ...urlOf(seen),
    events: spec ? (spec.events ?? WEBHOOK_EVENTS) : [],
    enabled: spec !== undefined && spec.enabled !== false,
    endpoint: stateOf(seen),
    lastTest: testOf(state?.test),
    testPending: isCommandPending({ metadata }, annotation, state?.test?.nonce),
  };
}

/** All endpoints of a project, the default one first. */
export function toWebhooks(project: ZipProject): readonly Webhook[] {
  return endpointsOf<ProjectEndpoint>(project.spec.webhook).map(({ name }) => toWebhook(project, name));
}

import { ANNOTATIONS } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import { type EndpointState, endpointOf, webhookHost, type ZipProject } from '#crds/zip-project.ts';
import { commandOf } from '../cluster/command.ts';
import { afterResponse, enabled, withHost, withoutHost } from '../webhook/endpoint.ts';
import type { ProjectAction, ProjectConfig, ProjectObservation } from './observation.ts';

export interface ProjectWebhook {
  /** The next state of the endpoint; undefined if it has none yet. */
  readonly state: EndpointState | undefined;
  /** Run after the state is written. */
  readonly actions: readonly ProjectAction[];
}

type WebhookObservation = Omit<ProjectObservation, 'projectClass' | 'hasHistory' | 'purge'>;

function withTest(state: EndpointState | undefined, test: NonNullable<EndpointState['test']>): EndpointState {
  return { ...state, test };
}

/** The host of a URL in the Secret is known from its deliveries only. */
function hosted(
  state: EndpointState | undefined,
  webhook: ZipProject['spec']['webhook'],
): EndpointState | undefined {
  if (webhook === undefined) return state && withoutHost(state);
  return withHost(state, webhookHost(webhook.url));
}

/** Sends the requested test event once and records its result when it is known. */
function tested(seen: WebhookObservation, state: EndpointState | undefined, now: Date): ProjectWebhook {
  const { project, test } = seen;
  // Keeps the result until the cached status contains it; otherwise the event would be sent again.
  const known: readonly ProjectAction[] = test.kind === 'stale' ? [{ kind: 'acknowledgeTest' }] : [];
  const nonce = commandOf(project.metadata, ANNOTATIONS.testWebhook, state?.test?.nonce);
  if (nonce === undefined) return { state, actions: known };
  if (project.spec.webhook === undefined) {
    const error = 'not-configured';
    return { state: withTest(state, { nonce, at: rfc3339(now), durationMs: 0, error }), actions: known };
  }
  if (test.kind === 'responded') {
    const { delivery, host } = test.response;
    return { state: withHost(withTest(state, { nonce, ...delivery }), host), actions: [] };
  }
  return test.kind === 'inFlight'
    ? { state, actions: [] }
    : { state, actions: [...known, { kind: 'sendTest', nonce }] };
}

/** The endpoint state of a project, from webhook deliveries and from commands of users. */
export function projectWebhook(
  seen: WebhookObservation,
  now: Date,
  { webhookDisableAfterSeconds }: Pick<ProjectConfig, 'webhookDisableAfterSeconds'>,
): ProjectWebhook {
  const { project, responses } = seen;
  const at = { now, disableAfterSeconds: webhookDisableAfterSeconds };
  const { webhook } = project.spec;
  const endpoint = webhook && endpointOf(webhook);
  const known = responses
    .filter((response) => response.endpoint === endpoint)
    .reduce<EndpointState | undefined>(
      (state, response) => afterResponse(state, response, at),
      project.status?.webhook,
    );
  const nonce = commandOf(project.metadata, ANNOTATIONS.enableWebhook, known?.enabledNonce);
  const state = nonce !== undefined && endpoint !== undefined ? enabled(known, endpoint, nonce) : known;
  const next = tested(seen, hosted(state, webhook), now);
  const forget: readonly ProjectAction[] =
    responses.length > 0 ? [{ kind: 'forgetResponses', responses }] : [];
  return { ...next, actions: [...forget, ...next.actions] };
}

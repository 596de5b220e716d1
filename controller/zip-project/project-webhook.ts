import { ANNOTATIONS } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import {
  DEFAULT_ENDPOINT,
  endpointAnnotation,
  findEndpoint,
  MAX_ENDPOINTS,
  type Named,
} from '#crds/webhook-endpoints.ts';
import {
  type EndpointState,
  endpointOf,
  type ProjectEndpoint,
  type ProjectWebhookState,
  webhookHost,
} from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { commandOf } from '../cluster/command.ts';
import { afterResponse, enabled, withHost, withoutHost } from '../webhook/endpoint.ts';
import type { ProjectAction, ProjectConfig, ProjectObservation } from './observation.ts';

export interface ProjectWebhook {
  /** The next state of the endpoints; undefined if they have none yet. */
  readonly state: ProjectWebhookState | undefined;
  /** Run after the state is written. */
  readonly actions: readonly ProjectAction[];
}

type WebhookObservation = Omit<ProjectObservation, 'projectClass' | 'hasHistory' | 'purge'>;

/** One endpoint of a project. */
interface Endpoint extends Named {
  /** Undefined for the default endpoint of a project without a webhook. */
  readonly spec: ProjectEndpoint | undefined;
  readonly state: EndpointState | undefined;
}

interface Next {
  readonly state: EndpointState | undefined;
  readonly actions: readonly ProjectAction[];
}

function withTest(state: EndpointState | undefined, test: NonNullable<EndpointState['test']>): EndpointState {
  return { ...state, test };
}

/** The host of a URL in the Secret is known from its deliveries only. */
function hosted({ spec, state }: Endpoint): EndpointState | undefined {
  if (spec === undefined) return state && withoutHost(state);
  return withHost(state, webhookHost(spec.url));
}

/** Sends the requested test event once and records its result when it is known. */
function tested({ project, tests }: WebhookObservation, { name, spec, state }: Endpoint, now: Date): Next {
  const test = tests.get(name) ?? { kind: 'idle' };
  // Keeps the result until the cached status contains it; otherwise the event would be sent again.
  const known: readonly ProjectAction[] =
    test.kind === 'stale' ? [{ kind: 'acknowledgeTest', endpoint: name }] : [];
  const annotation = endpointAnnotation(ANNOTATIONS.testWebhook, name);
  const nonce = commandOf(project.metadata, annotation, state?.test?.nonce);
  if (nonce === undefined) return { state, actions: known };
  if (spec === undefined) {
    const error = 'not-configured';
    return { state: withTest(state, { nonce, at: rfc3339(now), durationMs: 0, error }), actions: known };
  }
  if (test.kind === 'responded') {
    const { delivery, host } = test.response;
    return { state: withHost(withTest(state, { nonce, ...delivery }), host), actions: [] };
  }
  return test.kind === 'inFlight'
    ? { state, actions: [] }
    : { state, actions: [...known, { kind: 'sendTest', nonce, endpoint: name }] };
}

/** The next state of one endpoint. */
function nextOf(
  seen: WebhookObservation,
  { name, spec, state: before }: Endpoint,
  at: { readonly now: Date; readonly disableAfterSeconds: number },
): Next {
  const endpoint = spec && endpointOf({ ...spec, name });
  const known = seen.responses
    .filter((response) => response.name === name && response.endpoint === endpoint)
    .reduce<EndpointState | undefined>((state, response) => afterResponse(state, response, at), before);
  const annotation = endpointAnnotation(ANNOTATIONS.enableWebhook, name);
  const nonce = commandOf(seen.project.metadata, annotation, known?.enabledNonce);
  const state = nonce !== undefined && endpoint !== undefined ? enabled(known, endpoint, nonce) : known;
  return tested(seen, { name, spec, state: hosted({ name, spec, state }) }, at.now);
}

/** Without its list of endpoints, which is a field of it. */
function defaultState(status: ProjectWebhookState | undefined): EndpointState | undefined {
  if (status?.endpoints === undefined) return status;
  const { endpoints: _others, ...state } = status;
  return Object.keys(state).length === 0 ? undefined : state;
}

/**
 * The commands that endpoints had executed before they were removed. Their annotations may still be there, and must not run
 * again if an endpoint of that name is added.
 */
function executedBefore(
  status: ProjectWebhookState | undefined,
  endpoints: readonly Named[],
): readonly (EndpointState & Named)[] {
  return (status?.endpoints ?? [])
    .filter(({ name }) => !endpoints.some((endpoint) => endpoint.name === name))
    .filter(({ test, enabledNonce }) => test !== undefined || enabledNonce !== undefined)
    .map(({ name, test, enabledNonce }) => ({ name, ...defined({ test, enabledNonce }) }));
}

/** Drops the results of tests of endpoints that the project no longer has. */
function dropped({ tests }: WebhookObservation, endpoints: readonly Named[]): readonly ProjectAction[] {
  return [...tests.keys()]
    .filter((name) => !endpoints.some((endpoint) => endpoint.name === name))
    .map((endpoint) => ({ kind: 'acknowledgeTest', endpoint }));
}

/** The state of the endpoints of a project, from webhook deliveries and from commands of users. */
export function projectWebhook(
  seen: WebhookObservation,
  now: Date,
  { webhookDisableAfterSeconds }: Pick<ProjectConfig, 'webhookDisableAfterSeconds'>,
): ProjectWebhook {
  const { project, responses } = seen;
  const { webhook } = project.spec;
  const status = project.status?.webhook;
  const at = { now, disableAfterSeconds: webhookDisableAfterSeconds };
  const first = nextOf(seen, { name: DEFAULT_ENDPOINT, spec: webhook, state: defaultState(status) }, at);
  const others = (webhook?.endpoints ?? []).map((spec) => ({
    name: spec.name,
    ...nextOf(seen, { name: spec.name, spec, state: findEndpoint(status, spec.name) }, at),
  }));
  const present = others.flatMap(({ name, state }) => (state ? [{ ...state, name }] : []));
  const endpoints = [...present, ...executedBefore(status, others)].slice(0, MAX_ENDPOINTS - 1);
  const forget: readonly ProjectAction[] =
    responses.length > 0 ? [{ kind: 'forgetResponses', responses }] : [];
  return {
    state: endpoints.length === 0 ? first.state : { ...first.state, endpoints },
    actions: [
      ...forget,
      ...first.actions,
      ...others.flatMap(({ actions }) => actions),
      ...dropped(seen, [{ name: DEFAULT_ENDPOINT }, ...others]),
    ],
  };
}

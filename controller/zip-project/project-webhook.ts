import { ANNOTATIONS } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import type { EndpointState, ZipProject } from '#crds/zip-project.ts';
import type { Clock } from '#runtime/clock.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { commandOf } from '../kube-state/command.ts';
import type { WebhookDispatcher } from '../webhook/dispatcher.ts';
import { afterResponse, type EndpointResponse, enabled } from '../webhook/endpoint.ts';
import type { EndpointNotes } from '../webhook/endpoint-notes.ts';
import { type PlanTest, testIdOf, testKeyOf } from '../webhook/test-event.ts';

export interface ProjectWebhookOptions {
  readonly notes: EndpointNotes;
  readonly dispatcher: Pick<WebhookDispatcher, 'submit' | 'state' | 'acknowledge'>;
  readonly planTest: PlanTest;
  readonly disableAfterSeconds: number;
  readonly clock: Clock;
}

export interface ProjectWebhook {
  /** The next state of the endpoint; undefined when nothing is known of it. */
  readonly state: EndpointState | undefined;
  /** Call it after the state has been written. */
  readonly written: () => void;
}

const tested = (
  state: EndpointState | undefined,
  test: NonNullable<EndpointState['test']>,
): EndpointState => ({
  ...state,
  test,
});

/** Sends the requested test event once and returns its result when it is known. */
const test = (
  { dispatcher, planTest, clock }: ProjectWebhookOptions,
  project: ZipProject,
  state: EndpointState | undefined,
): EndpointState | undefined => {
  const nonce = commandOf(project.metadata, ANNOTATIONS.testWebhook, state?.test?.nonce);
  if (nonce === undefined) return state;
  const url = project.spec.webhook?.url;
  if (url === undefined)
    return tested(state, { nonce, at: rfc3339(clock.date()), durationMs: 0, error: 'not-configured' });
  const seen = dispatcher.state(testKeyOf(objectKey(project)), testIdOf(project, nonce));
  if (seen.kind === 'responded') return tested(state, { nonce, ...seen.response.delivery });
  if (seen.kind === 'idle') {
    // The unused result of an earlier test would block this one.
    dispatcher.acknowledge(testKeyOf(objectKey(project)));
    dispatcher.submit(planTest(project, url, nonce));
  }
  return state;
};

const isAbout =
  (project: ZipProject) =>
  ({ url }: EndpointResponse): boolean =>
    url === project.spec.webhook?.url;

/** The endpoint state of a project, from webhook deliveries and from commands of users. */
export const projectWebhook = (options: ProjectWebhookOptions, project: ZipProject): ProjectWebhook => {
  const { notes, dispatcher, clock, disableAfterSeconds } = options;
  const responses = notes.of(project.metadata.namespace);
  const at = { now: clock.date(), disableAfterSeconds };
  const before = project.status?.webhook;
  let state = responses
    .filter(isAbout(project))
    .reduce<EndpointState | undefined>((known, response) => afterResponse(known, response, at), before);
  const url = project.spec.webhook?.url;
  const nonce = commandOf(project.metadata, ANNOTATIONS.enableWebhook, state?.enabledNonce);
  if (nonce !== undefined && url !== undefined) state = enabled(state, url, nonce);
  state = test(options, project, state);
  return {
    state,
    written: () => {
      notes.written(project.metadata.namespace, responses);
      dispatcher.acknowledge(testKeyOf(objectKey(project)));
    },
  };
};

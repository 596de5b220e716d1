import { type AdministrationError, hasCode } from '#administration/errors/administration-error.ts';
import { toWebhook, toWebhooks, type Webhook } from '#administration/webhooks/webhook-view.ts';
import type { ShownWebhook } from '#administration/webhooks/webhooks.ts';
import { DEFAULT_ENDPOINT, MAX_ENDPOINTS } from '#crds/webhook-endpoints.ts';
import { WEBHOOK_EVENTS } from '#crds/zip-job.ts';
import {
  notFound,
  type PageRequest,
  type PageResponse,
  type Route,
  type ShownFragment,
  type ShownPage,
} from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { projectOf } from '../projects/project-of.ts';
import {
  conflictErrors,
  EMPTY_FORM,
  type FormState,
  filledIn,
  formErrors,
  formIdIn,
  formStatus,
  postedText,
  seenIn,
  shownTexts,
  valuesAfterConflict,
} from '../ui/form.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { ANY_DELIVERY, deliveriesHref } from './delivery-query.ts';
import { EVENT_CHOICES, eventBoxes } from './event-choices.ts';
import { postedEndpoint } from './posted-endpoint.ts';
import { secretPage } from './secret.ts';
import { webhookBadge } from './webhook-badge.ts';
import { endpointHead } from './webhook-head.ts';
import {
  ENDPOINT_PATH,
  endpointHref,
  endpointOf,
  liveEndpointHref,
  WEBHOOK_PATH,
  webhookHref,
  webhookTrail,
} from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

type Deps = Pick<PageDeps, 'caches'>;

/** Query of the live state without the last test. */
const TEST_APART = '?test=apart';

/** The empty form, or the posted values. */
interface Given {
  readonly form: FormState;
  readonly events?: readonly string[];
  /** Default: what the page shows. */
  readonly seen?: { readonly version: string; readonly shown: string };
}

/**
 * State of an endpoint, and of the others if it is the default one; stays live. Its last test is apart while the page waits for its
 * result.
 */
function stateOf(
  { namespace }: PageRequest,
  webhooks: readonly Webhook[],
  { webhook, isTestApart }: { readonly webhook: Webhook; readonly isTestApart: boolean },
) {
  const { name: current } = webhook;
  const isDefault = current === DEFAULT_ENDPOINT;
  return {
    webhook,
    endpoints: webhooks
      .filter(({ name }) => isDefault || name === current)
      .map((endpoint) => ({
        ...endpoint,
        badge: webhookBadge(endpoint),
        href: endpoint.name === current ? null : endpointHref(namespace, endpoint.name),
      })),
    deliveries: isDefault ? null : deliveriesHref(namespace, { ...ANY_DELIVERY, endpoint: current }),
    href: endpointHref(namespace, current),
    isTestApart,
  };
}

/** The action that adds an endpoint to a webhook. */
function addAction(namespace: string, webhooks: readonly Webhook[], reason: string) {
  const full =
    webhooks.length < MAX_ENDPOINTS
      ? ''
      : `The webhook has ${MAX_ENDPOINTS} endpoints, which is the maximum. Remove one to add another.`;
  return {
    label: 'New endpoint',
    href: webhookHref(namespace, 'new-endpoint'),
    reason: reason === '' ? full : reason,
  };
}

/** In the order of the boxes. */
function eventsText({ isSet, events }: Webhook): string {
  return WEBHOOK_EVENTS.filter((event) => !isSet || events.includes(event)).join(',');
}

/** The current URL is not in the form, because it is a credential for many receivers. */
function formOf({ webhook, version }: ShownWebhook, { form, events, seen }: Given) {
  const current = eventsText(webhook);
  const checked = events ?? current.split(',');
  return {
    form,
    ...(seen ?? { version, shown: shownTexts(['events'], { events: current }) }),
    events: eventBoxes(checked),
  };
}

async function show(request: PageRequest, given: Given): Promise<ShownPage> {
  const { namespace, user, form } = request;
  const shown = await user.administration.webhooks(namespace, endpointOf(request)).show();
  const { webhook, endpoints, hasSecret } = shown;
  const { name, isSet, testPending } = webhook;
  const isDefault = name === DEFAULT_ENDPOINT;
  const setReason = await reasonAgainst(request, WEBHOOK_RIGHTS.set);
  const data = {
    ...stateOf(request, endpoints, { webhook, isTestApart: testPending }),
    head: await endpointHead(request, shown),
    ...formOf(shown, given),
    // The same after an error: the form may have created the signing secret before.
    formId: formIdIn(form),
    hasSecret,
    setReason,
    add: isDefault && isSet ? addAction(namespace, endpoints, setReason) : null,
    liveState: liveEndpointHref(namespace, name) + (testPending ? TEST_APART : ''),
    liveTest: liveEndpointHref(namespace, name, 'test'),
  };
  return {
    kind: 'page',
    view: '/webhook/webhook',
    title: data.head.title,
    ...(!isDefault && { trail: webhookTrail(namespace) }),
    section: 'webhook',
    data,
    status: formStatus(given.form.errors),
  };
}

async function afterConflict(
  request: PageRequest,
  values: FormState['values'],
  error: AdministrationError,
): Promise<Given> {
  const { user, namespace, form } = request;
  const { webhook } = await user.administration.webhooks(namespace, endpointOf(request)).show();
  const current = { events: eventsText(webhook) };
  const { events = '' } = valuesAfterConflict(form, { events: postedText(form, 'events') }, current);
  const errors = {
    ...conflictErrors(error, [{ name: 'events', label: 'Events', choices: EVENT_CHOICES }], current),
    url: 'The URL may have changed too. Leave this empty to keep the current one',
  };
  return { form: { values, errors }, events: events.split(',') };
}

/** The first save creates the signing secret. Only the response to the form can show it. */
async function set(request: PageRequest): Promise<PageResponse> {
  const { form, namespace, user } = request;
  const endpoint = endpointOf(request);
  const values = filledIn(form, 'url');
  try {
    const { secret } = await user.administration
      .webhooks(namespace, endpoint)
      .set({ ...postedEndpoint(form), version: form.get('version') ?? '' });
    if (secret !== undefined) return secretPage(request, endpoint, { secret, previousUntil: null });
    const text = endpoint === DEFAULT_ENDPOINT ? 'Webhook settings saved' : `Endpoint ${endpoint} saved`;
    return { kind: 'go', to: endpointHref(namespace, endpoint), flash: { kind: 'done', text } };
  } catch (error) {
    if (hasCode(error, 'Conflict')) return show(request, await afterConflict(request, values, error));
    const errors = formErrors(error, 'url');
    return show(request, { form: { values, errors }, events: form.getAll('events'), seen: seenIn(form) });
  }
}

/** From the cache: an open page then costs the API server only the access reviews. */
function liveState(
  { caches }: Deps,
  request: PageRequest,
  view: 'webhook-state' | 'webhook-test',
): ShownFragment {
  const { project } = projectOf(caches.zipProjects, request.namespace);
  const webhook = toWebhook(project, endpointOf(request));
  if (!webhook.isSet && webhook.name !== DEFAULT_ENDPOINT) throw notFound('The endpoint was removed.');
  const isTestApart = view === 'webhook-test' || request.query.get('test') === 'apart';
  const data = stateOf(request, toWebhooks(project), { webhook, isTestApart });
  return { kind: 'fragment', view: `/webhook/${view}`, data };
}

/** The page of the webhook, which is that of its default endpoint, and the page of each other endpoint. */
export function createWebhookPage(deps: Deps): readonly Route[] {
  return [WEBHOOK_PATH, ENDPOINT_PATH].flatMap((path): readonly Route[] => {
    const live = path.replace('/webhook', '/live/webhook');
    return [
      { method: 'GET', path, handle: (request) => show(request, { form: EMPTY_FORM }) },
      { method: 'POST', path, needs: WEBHOOK_RIGHTS.set, handle: set },
      {
        method: 'GET',
        path: live,
        handle: (request) => Promise.resolve(liveState(deps, request, 'webhook-state')),
      },
      {
        method: 'GET',
        path: `${live}/test`,
        handle: (request) => Promise.resolve(liveState(deps, request, 'webhook-test')),
      },
    ];
  });
}

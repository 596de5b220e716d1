import {
  type AdministrationError,
  hasCode,
  invalidInput,
} from '#administration/errors/administration-error.ts';
import { toWebhook, type Webhook } from '#administration/webhooks/webhook-view.ts';
import type { ShownWebhook } from '#administration/webhooks/webhooks.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '#crds/zip-job.ts';
import type { PageRequest, PageResponse, Route, ShownFragment, ShownPage } from '../http/page.ts';
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
import { FORMAT } from '../ui/format.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { webhookBadge } from './webhook-badge.ts';
import { webhookHead } from './webhook-head.ts';
import { WEBHOOK_PATH, webhookHref, webhookTrail } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

type Deps = Pick<PageDeps, 'caches'>;

const WORDS: Readonly<Record<WebhookEvent, string>> = {
  COMPLETED: 'Job completed (COMPLETED)',
  FAILED: 'Job failed (FAILED)',
};

/** Query of the live state without the last test. */
const TEST_APART = '?test=apart';

/** The empty form, or the posted values. */
interface Given {
  readonly form: FormState;
  readonly events?: readonly string[];
  /** Default: what the page shows. */
  readonly seen?: { readonly version: string; readonly shown: string };
}

/** State of the endpoint; stays live. The last test is apart while the page waits for its result. */
function stateOf({ namespace }: PageRequest, webhook: Webhook, isTestApart: boolean) {
  return {
    webhook,
    badge: webhookBadge(webhook),
    href: webhookHref(namespace),
    isTestApart,
  };
}

function livePath(namespace: string, ...below: readonly string[]): string {
  return FORMAT.path('projects', namespace, 'live', 'webhook', ...below);
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
    events: WEBHOOK_EVENTS.map((value) => ({
      value,
      text: WORDS[value],
      isChecked: checked.includes(value),
    })),
  };
}

async function show(request: PageRequest, given: Given): Promise<ShownPage> {
  const shown = await request.user.administration.webhooks(request.namespace).show();
  const { webhook, hasSecret } = shown;
  const data = {
    ...stateOf(request, webhook, webhook.testPending),
    head: await webhookHead(request, webhook, ''),
    ...formOf(shown, given),
    // The same after an error: the form may have created the signing secret before.
    formId: formIdIn(request.form),
    hasSecret,
    setReason: await reasonAgainst(request, WEBHOOK_RIGHTS.set),
    liveState: livePath(request.namespace) + (webhook.testPending ? TEST_APART : ''),
    liveTest: livePath(request.namespace, 'test'),
  };
  const status = formStatus(given.form.errors);
  return { kind: 'page', view: '/webhook/webhook', title: 'Webhook', section: 'webhook', data, status };
}

async function afterConflict(
  { user, namespace, form }: PageRequest,
  values: FormState['values'],
  error: AdministrationError,
): Promise<Given> {
  const { webhook } = await user.administration.webhooks(namespace).show();
  const current = { events: eventsText(webhook) };
  const { events = '' } = valuesAfterConflict(form, { events: postedText(form, 'events') }, current);
  const choices = WEBHOOK_EVENTS.map((value) => ({ value, text: WORDS[value] }));
  const errors = {
    ...conflictErrors(error, [{ name: 'events', label: 'Events', choices }], current),
    url: 'The URL may have changed too. Leave this empty to keep the current one',
  };
  return { form: { values, errors }, events: events.split(',') };
}

/** The first save creates the signing secret. Only the response to the form can show it. */
async function set(request: PageRequest): Promise<PageResponse> {
  const { form, namespace } = request;
  const values = filledIn(form, 'url');
  const { url = '' } = values;
  const events = form.getAll('events');
  try {
    // Left out of a form that was kept, and an empty URL keeps the current one.
    if (!form.has('url')) throw invalidInput('url', 'Enter the URL again. It is not kept with the form');
    const { secret } = await request.user.administration.webhooks(request.namespace).set({
      url: url === '' ? undefined : url,
      events,
      version: form.get('version') ?? '',
      form: formIdIn(form),
    });
    const back = webhookHref(namespace);
    if (secret === undefined)
      return { kind: 'go', to: back, flash: { kind: 'done', text: 'Webhook settings saved' } };
    const data = { secret, previousUntil: null, back };
    return {
      kind: 'page',
      view: '/webhook/secret',
      title: 'Signing secret',
      trail: webhookTrail(namespace),
      section: 'webhook',
      data,
    };
  } catch (error) {
    if (hasCode(error, 'Conflict')) return show(request, await afterConflict(request, values, error));
    const errors = formErrors(error, 'url');
    return show(request, { form: { values, errors }, events, seen: seenIn(form) });
  }
}

/** From the cache: an open page then costs the API server only the access reviews. */
function liveState(
  { caches }: Deps,
  request: PageRequest,
  view: 'webhook-state' | 'webhook-test',
): ShownFragment {
  const { project } = projectOf(caches.zipProjects, request.namespace);
  const isTestApart = view === 'webhook-test' || request.query.get('test') === 'apart';
  const data = stateOf(request, toWebhook(project), isTestApart);
  return { kind: 'fragment', view: `/webhook/${view}`, data };
}

/** The endpoint of a project. */
export function createWebhookPage(deps: Deps): readonly Route[] {
  return [
    {
      method: 'GET',
      path: WEBHOOK_PATH,
      handle: (request) => show(request, { form: EMPTY_FORM }),
    },
    {
      method: 'POST',
      path: WEBHOOK_PATH,
      needs: WEBHOOK_RIGHTS.set,
      handle: (request) => set(request),
    },
    {
      method: 'GET',
      path: '/projects/:project/live/webhook',
      handle: (request) => Promise.resolve(liveState(deps, request, 'webhook-state')),
    },
    {
      method: 'GET',
      path: '/projects/:project/live/webhook/test',
      handle: (request) => Promise.resolve(liveState(deps, request, 'webhook-test')),
    },
  ];
}

import { toWebhook, type Webhook } from '#administration/webhook-view.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '#crds/zip-job.ts';
import { readVerifySamples } from '#runtime/samples/read-sample.ts';
import { FORMAT } from '../../format.ts';
import type { PageRequest, PageResponse, Route, ShownPage } from '../../page.ts';
import { EMPTY_FORM, type FormState, filledIn, formErrors, formStatus } from '../form.ts';
import type { PageDeps } from '../page-deps.ts';
import { projectOf } from '../project-of.ts';
import { reasonAgainst } from '../reason-against.ts';
import { deliveriesFrame, deliveriesOf } from './deliveries.ts';
import { WEBHOOK_PATH, webhookHref } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

type Deps = Pick<PageDeps, 'caches' | 'jobs'>;

const WORDS: Readonly<Record<WebhookEvent, string>> = {
  COMPLETED: 'Job completed (COMPLETED)',
  FAILED: 'Job failed (FAILED)',
};

const SAMPLES = readVerifySamples();

/** The empty form, or the posted values. */
interface Given {
  readonly form: FormState;
  readonly events?: readonly string[];
}

/** State of the endpoint; stays live. */
const stateOf = ({ namespace }: PageRequest, webhook: Webhook) => ({ webhook, href: webhookHref(namespace) });

/** The current URL is not in the form, because it is a credential for many receivers. */
const formOf = (webhook: Webhook, { form, events }: Given) => {
  const checked: readonly string[] = events ?? (webhook.isSet ? webhook.events : WEBHOOK_EVENTS);
  return {
    form,
    events: WEBHOOK_EVENTS.map((value) => ({
      value,
      text: WORDS[value],
      isChecked: checked.includes(value),
    })),
  };
};

const actionsOf = async (request: PageRequest, { enabled, endpoint }: Webhook) => {
  const [change, rotate, remove] = await Promise.all([
    reasonAgainst(request, WEBHOOK_RIGHTS.change),
    reasonAgainst(request, WEBHOOK_RIGHTS.rotate),
    reasonAgainst(request, WEBHOOK_RIGHTS.remove),
  ]);
  const isOn = enabled && endpoint?.state !== 'Disabled';
  const all = [
    { name: 'test', label: 'Send test', isChange: true, reason: change },
    isOn
      ? { name: 'disable', label: 'Disable', isChange: true, reason: change }
      : { name: 'enable', label: 'Enable', isChange: true, reason: change, look: 'primary' },
    { name: 'rotate-secret', label: 'Rotate secret', isChange: false, reason: rotate },
    { name: 'remove', label: 'Remove webhook', isChange: false, reason: remove, look: 'danger' },
  ];
  return all.map((action) => ({ ...action, href: webhookHref(request.namespace, action.name) }));
};

const show = async (deps: Deps, request: PageRequest, given: Given): Promise<ShownPage> => {
  const { webhook, hasSecret } = await request.user.administration.webhooks(request.namespace).show();
  const data = {
    ...stateOf(request, webhook),
    ...(await deliveriesOf(deps, request)),
    ...deliveriesFrame(request),
    samples: SAMPLES,
    ...formOf(webhook, given),
    hasSecret,
    setReason: await reasonAgainst(request, WEBHOOK_RIGHTS.set),
    actions: webhook.isSet ? await actionsOf(request, webhook) : [],
    liveState: FORMAT.path('projects', request.namespace, 'live', 'webhook'),
  };
  const status = formStatus(given.form.errors);
  return { kind: 'page', view: '/pages/webhook/webhook', title: 'Webhook', section: 'webhook', data, status };
};

/** The first save creates the signing secret. Only the response to the form can show it. */
const set = async (deps: Deps, request: PageRequest): Promise<PageResponse> => {
  const { form, namespace } = request;
  const values = filledIn(form, 'url');
  const { url = '' } = values;
  const events = form.getAll('events');
  try {
    const { secret } = await request.user.administration
      .webhooks(request.namespace)
      .set({ url: url === '' ? undefined : url, events });
    const back = webhookHref(namespace);
    if (secret === undefined)
      return { kind: 'go', to: back, flash: { kind: 'done', text: 'Webhook settings saved' } };
    const data = { secret, previousUntil: null, back };
    return {
      kind: 'page',
      view: '/pages/webhook/secret',
      title: 'Signing secret',
      section: 'webhook',
      data,
    };
  } catch (error) {
    return show(deps, request, { form: { values, errors: formErrors(error, 'url') }, events });
  }
};

/** The webhook settings of a project and its recent deliveries. */
export const createWebhookPage = (deps: Deps): readonly Route[] => [
  {
    method: 'GET',
    path: WEBHOOK_PATH,
    handle: (request) => show(deps, request, { form: EMPTY_FORM }),
  },
  { method: 'POST', path: WEBHOOK_PATH, needs: WEBHOOK_RIGHTS.set, handle: (request) => set(deps, request) },
  {
    method: 'GET',
    path: '/projects/:project/live/webhook',
    handle: async (request) => {
      // From the cache: an open page then costs the API server only the access reviews.
      const { project } = projectOf(deps.caches.zipProjects, request.namespace);
      const data = stateOf(request, toWebhook(project));
      return { kind: 'fragment', view: '/pages/webhook/webhook-state', data };
    },
  },
  {
    method: 'GET',
    path: '/projects/:project/live/webhook/deliveries',
    handle: async (request) => ({
      kind: 'fragment',
      view: '/pages/webhook/webhook-deliveries',
      data: await deliveriesOf(deps, request),
    }),
  },
];

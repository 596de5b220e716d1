import { hasCode } from '#administration/errors/administration-error.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import { EMPTY_FORM, type FormState, formErrors, formStatus } from '../ui/form.ts';
import {
  ENDPOINT_PATH,
  endpointHref,
  endpointOf,
  endpointTrail,
  WEBHOOK_PATH,
  webhookHref,
} from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

const PAGES = [
  { path: `${WEBHOOK_PATH}/remove`, needs: WEBHOOK_RIGHTS.remove },
  { path: `${ENDPOINT_PATH}/remove`, needs: WEBHOOK_RIGHTS.removeEndpoint },
] as const;

/** What the user reads before the removal, and after it. */
interface Words {
  readonly title: string;
  readonly lead: string;
  readonly button: string;
  readonly done: string;
}

function wordsOf(endpoint: string): Words {
  if (endpoint === DEFAULT_ENDPOINT)
    return {
      title: 'Remove webhook',
      lead: 'New jobs no longer send webhooks. Events of existing jobs are still sent.',
      button: 'Remove webhook',
      done: 'Webhook removed. New jobs no longer send webhooks.',
    };
  return {
    title: `Remove endpoint ${endpoint}`,
    lead: 'Nothing is sent to this endpoint any more, and its pending events are dropped. Its URL and its signing secret are deleted.',
    button: 'Remove endpoint',
    done: `Endpoint ${endpoint} removed. Nothing is sent to it any more.`,
  };
}

function show(request: PageRequest, form: FormState): ShownPage {
  const { namespace } = request;
  const endpoint = endpointOf(request);
  const { title, lead, button } = wordsOf(endpoint);
  return {
    kind: 'page',
    view: '/webhook/remove-webhook',
    title,
    trail: endpointTrail(namespace, endpoint),
    section: 'webhook',
    data: {
      form,
      title,
      lead,
      button,
      // The Secret is that of all endpoints. Removing another one always deletes what it has in there.
      hasChoice: endpoint === DEFAULT_ENDPOINT,
      href: endpointHref(namespace, endpoint, 'remove'),
      back: endpointHref(namespace, endpoint),
    },
    status: formStatus(form.errors),
  };
}

async function ask(request: PageRequest): Promise<ShownPage> {
  const { namespace, user } = request;
  // Only for its error: an endpoint that the project does not have has no such page.
  await user.administration.webhooks(namespace, endpointOf(request)).show();
  return show(request, EMPTY_FORM);
}

async function post(request: PageRequest): Promise<ShownPage | GoTo> {
  const { namespace, user, form } = request;
  const endpoint = endpointOf(request);
  const withSecret = form.get('withSecret') === 'yes';
  try {
    await user.administration.webhooks(namespace, endpoint).remove({ withSecret });
  } catch (error) {
    if (hasCode(error, 'NotFound')) throw error;
    return show(request, { values: {}, errors: formErrors(error) });
  }
  return {
    kind: 'go',
    to: webhookHref(namespace),
    flash: { kind: 'done', text: wordsOf(endpoint).done },
  };
}

/** The pages that remove the webhook, or one of its other endpoints, after a warning. */
export function createRemoveWebhookPage(): readonly Route[] {
  return PAGES.flatMap(({ path, needs }): readonly Route[] => [
    { method: 'GET', path, needs, handle: ask },
    { method: 'POST', path, needs, handle: post },
  ]);
}

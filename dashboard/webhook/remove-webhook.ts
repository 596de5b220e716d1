import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import { EMPTY_FORM, type FormState, formErrors, formStatus } from '../ui/form.ts';
import { WEBHOOK_PATH, webhookHref, webhookTrail } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

const PATH = `${WEBHOOK_PATH}/remove`;

function show({ namespace }: PageRequest, form: FormState): ShownPage {
  return {
    kind: 'page',
    view: '/webhook/remove-webhook',
    title: 'Remove webhook',
    trail: webhookTrail(namespace),
    section: 'webhook',
    data: { form, href: webhookHref(namespace, 'remove'), back: webhookHref(namespace) },
    status: formStatus(form.errors),
  };
}

async function post(request: PageRequest): Promise<ShownPage | GoTo> {
  const withSecret = request.form.get('withSecret') === 'yes';
  try {
    await request.user.administration.webhooks(request.namespace).remove({ withSecret });
  } catch (error) {
    return show(request, { values: {}, errors: formErrors(error) });
  }
  const text = 'Webhook removed. New jobs no longer send webhooks.';
  return { kind: 'go', to: webhookHref(request.namespace), flash: { kind: 'done', text } };
}

/** The page that removes the webhook, after a warning. */
export function createRemoveWebhookPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: WEBHOOK_RIGHTS.remove,
      handle: (request) => Promise.resolve(show(request, EMPTY_FORM)),
    },
    { method: 'POST', path: PATH, needs: WEBHOOK_RIGHTS.remove, handle: post },
  ];
}

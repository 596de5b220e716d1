import { WEBHOOK_EVENTS } from '#crds/zip-job.ts';
import type { PageRequest, PageResponse, Route, ShownPage } from '../http/page.ts';
import { EMPTY_FORM, type FormState, filledIn, formErrors, formIdIn, formStatus } from '../ui/form.ts';
import { eventBoxes } from './event-choices.ts';
import { postedEndpoint } from './posted-endpoint.ts';
import { secretPage } from './secret.ts';
import { ENDPOINT, endpointHref, WEBHOOK_PATH, webhookHref, webhookTrail } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

const PATH = `${WEBHOOK_PATH}/new-endpoint`;

function show(
  { namespace, form: posted }: PageRequest,
  form: FormState,
  events: readonly string[],
): ShownPage {
  return {
    kind: 'page',
    view: '/webhook/new-endpoint',
    title: 'New endpoint',
    trail: webhookTrail(namespace),
    section: 'webhook',
    data: {
      form,
      events: eventBoxes(events),
      // The same after an error: the form may have created the signing secret before.
      formId: formIdIn(posted),
      href: webhookHref(namespace, 'new-endpoint'),
      back: webhookHref(namespace),
    },
    status: formStatus(form.errors),
  };
}

/** Creates the signing secret. Only the response to the form can show it. */
async function post(request: PageRequest): Promise<PageResponse> {
  const { form, namespace, user } = request;
  const values = filledIn(form, ENDPOINT, 'url');
  const { [ENDPOINT]: endpoint = '' } = values;
  try {
    const { secret } = await user.administration
      .webhooks(namespace, endpoint)
      .set({ ...postedEndpoint(form), isNew: true });
    if (secret !== undefined) return secretPage(request, endpoint, { secret, previousUntil: null });
    // Another tool has written it into the Secret.
    const text = `Endpoint ${endpoint} added. Its signing secret was in the Secret before.`;
    return { kind: 'go', to: endpointHref(namespace, endpoint), flash: { kind: 'done', text } };
  } catch (error) {
    return show(request, { values, errors: formErrors(error) }, form.getAll('events'));
  }
}

/** Adds an endpoint to the webhook of a project. */
export function createNewEndpointPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: WEBHOOK_RIGHTS.set,
      handle: (request) => Promise.resolve(show(request, EMPTY_FORM, WEBHOOK_EVENTS)),
    },
    { method: 'POST', path: PATH, needs: WEBHOOK_RIGHTS.set, handle: post },
  ];
}

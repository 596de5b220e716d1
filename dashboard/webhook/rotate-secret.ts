import { randomUUID } from 'node:crypto';
import { hasCode } from '#administration/errors/administration-error.ts';
import type { Webhooks } from '#administration/webhooks/webhooks.ts';
import type { PageRequest, PageResponse, Route, ShownPage } from '../http/page.ts';
import {
  EMPTY_FORM,
  type FormState,
  filledIn,
  formErrors,
  formIdIn,
  formStatus,
  seenIn,
} from '../ui/form.ts';
import { secretPage } from './secret.ts';
import { ENDPOINT_PATH, endpointHref, endpointOf, endpointTrail, WEBHOOK_PATH } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

const PATHS = [WEBHOOK_PATH, ENDPOINT_PATH].map((path) => `${path}/rotate-secret`);
const DEFAULT = '86400';

const OVERLAPS = [
  { value: '3600', text: '1 hour' },
  { value: DEFAULT, text: '1 day' },
  { value: '604800', text: '1 week' },
  { value: '0', text: '0 seconds (if the old secret leaked)' },
] as const;

function show(request: PageRequest, version: string, form: FormState): ShownPage {
  const { namespace } = request;
  const endpoint = endpointOf(request);
  return {
    kind: 'page',
    view: '/webhook/rotate-secret',
    title: 'Rotate signing secret',
    trail: endpointTrail(namespace, endpoint),
    section: 'webhook',
    data: {
      form: { ...form, values: { overlapSeconds: DEFAULT, ...form.values } },
      formId: randomUUID(),
      version,
      overlaps: OVERLAPS,
      href: endpointHref(namespace, endpoint, 'rotate-secret'),
      back: endpointHref(namespace, endpoint),
    },
    status: formStatus(form.errors),
  };
}

function webhooksOf(request: PageRequest): Webhooks {
  return request.user.administration.webhooks(request.namespace, endpointOf(request));
}

async function post(request: PageRequest): Promise<PageResponse> {
  const values = filledIn(request.form, 'overlapSeconds');
  const { overlapSeconds = '' } = values;
  try {
    // An empty choice must not count as 0.
    const seconds = overlapSeconds === '' ? Number.NaN : Number(overlapSeconds);
    const rotated = await webhooksOf(request).rotateSecret({
      overlapSeconds: seconds,
      form: formIdIn(request.form),
      version: seenIn(request.form).version,
    });
    return secretPage(request, endpointOf(request), rotated);
  } catch (error) {
    if (hasCode(error, 'NotFound')) throw error;
    // With other errors, a rotation by someone else is noticed when the form is sent again.
    const version = hasCode(error, 'Conflict')
      ? await webhooksOf(request).secretVersion()
      : seenIn(request.form).version;
    return show(request, version, { values, errors: formErrors(error) });
  }
}

/** Creates a new signing secret and shows it once; the old one stays valid for a time. */
export function createRotateSecretPage(): readonly Route[] {
  return PATHS.flatMap((path): readonly Route[] => [
    {
      method: 'GET',
      path,
      needs: WEBHOOK_RIGHTS.rotate,
      handle: async (request) => show(request, await webhooksOf(request).secretVersion(), EMPTY_FORM),
    },
    { method: 'POST', path, needs: WEBHOOK_RIGHTS.rotate, handle: post },
  ]);
}

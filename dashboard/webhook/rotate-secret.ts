import { randomUUID } from 'node:crypto';
import { hasCode } from '#administration/errors/administration-error.ts';
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
import { WEBHOOK_PATH, webhookHref, webhookTrail } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

const PATH = `${WEBHOOK_PATH}/rotate-secret`;
const DEFAULT = '86400';

const OVERLAPS = [
  { value: '3600', text: '1 hour' },
  { value: DEFAULT, text: '1 day' },
  { value: '604800', text: '1 week' },
  { value: '0', text: '0 seconds (if the old secret leaked)' },
] as const;

function show({ namespace }: PageRequest, version: string, form: FormState): ShownPage {
  return {
    kind: 'page',
    view: '/webhook/rotate-secret',
    title: 'Rotate signing secret',
    trail: webhookTrail(namespace),
    section: 'webhook',
    data: {
      form: { ...form, values: { overlapSeconds: DEFAULT, ...form.values } },
      formId: randomUUID(),
      version,
      overlaps: OVERLAPS,
      href: webhookHref(namespace, 'rotate-secret'),
      back: webhookHref(namespace),
    },
    status: formStatus(form.errors),
  };
}

function versionOf({ user, namespace }: PageRequest): Promise<string> {
  return user.administration.webhooks(namespace).secretVersion();
}

async function post(request: PageRequest): Promise<PageResponse> {
  const values = filledIn(request.form, 'overlapSeconds');
  const { overlapSeconds = '' } = values;
  try {
    // An empty choice must not count as 0.
    const seconds = overlapSeconds === '' ? Number.NaN : Number(overlapSeconds);
    const { secret, previousUntil } = await request.user.administration
      .webhooks(request.namespace)
      .rotateSecret({
        overlapSeconds: seconds,
        form: formIdIn(request.form),
        version: seenIn(request.form).version,
      });
    return {
      kind: 'page',
      view: '/webhook/secret',
      title: 'Signing secret',
      trail: webhookTrail(request.namespace),
      section: 'webhook',
      data: { secret, previousUntil, back: webhookHref(request.namespace) },
    };
  } catch (error) {
    // With other errors, a rotation by someone else is noticed when the form is sent again.
    const version = hasCode(error, 'Conflict') ? await versionOf(request) : seenIn(request.form).version;
    return show(request, version, { values, errors: formErrors(error) });
  }
}

/** Creates a new signing secret and shows it once; the old one stays valid for a time. */
export function createRotateSecretPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: WEBHOOK_RIGHTS.rotate,
      handle: async (request) => show(request, await versionOf(request), EMPTY_FORM),
    },
    { method: 'POST', path: PATH, needs: WEBHOOK_RIGHTS.rotate, handle: post },
  ];
}

import type { PageAnswer, PageRequest, Route, ShownPage } from '../../page.ts';
import { webhooksOf } from '../administration.ts';
import { EMPTY_FORM, type FormState, filledIn, formErrors, formStatus } from '../form.ts';
import { WEBHOOK_PATH, webhookHref } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

const PATH = `${WEBHOOK_PATH}/rotate-secret`;
const DEFAULT = '86400';

const OVERLAPS = [
  { value: '3600', text: 'One hour' },
  { value: DEFAULT, text: 'One day' },
  { value: '604800', text: 'One week' },
  { value: '0', text: 'Not at all: the old one is known to somebody else' },
] as const;

const show = ({ namespace }: PageRequest, form: FormState): ShownPage => ({
  kind: 'page',
  view: '/pages/webhook/rotate-secret',
  title: 'New signing secret',
  section: 'webhook',
  data: {
    form: { ...form, values: { overlapSeconds: DEFAULT, ...form.values } },
    overlaps: OVERLAPS,
    href: webhookHref(namespace, 'rotate-secret'),
    back: webhookHref(namespace),
  },
  status: formStatus(form.errors),
});

const post = async (request: PageRequest): Promise<PageAnswer> => {
  const values = filledIn(request.form, 'overlapSeconds');
  const { overlapSeconds = '' } = values;
  try {
    // Nothing chosen is no overlap of zero.
    const seconds = overlapSeconds === '' ? Number.NaN : Number(overlapSeconds);
    const { secret, previousUntil } = await webhooksOf(request).rotateSecret(seconds);
    return {
      kind: 'page',
      view: '/pages/webhook/secret',
      title: 'Signing secret',
      section: 'webhook',
      data: { secret, previousUntil, back: webhookHref(request.namespace) },
    };
  } catch (error) {
    return show(request, { values, errors: formErrors(error) });
  }
};

/** Makes a new signing secret and shows it, once; for a time the old one signs as well. */
export const createRotateSecretPage = (): readonly Route[] => [
  {
    method: 'GET',
    path: PATH,
    needs: WEBHOOK_RIGHTS.rotate,
    handle: (request) => Promise.resolve(show(request, EMPTY_FORM)),
  },
  { method: 'POST', path: PATH, needs: WEBHOOK_RIGHTS.rotate, handle: post },
];

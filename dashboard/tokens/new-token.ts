import { randomUUID } from 'node:crypto';
import { PERMISSIONS, type Permission } from '#crds/zip-token.ts';
import type { PageRequest, Route, ShownPage } from '../http/page.ts';
import { EMPTY_FORM, type FormState, filledIn, formErrors, formIdIn, formStatus } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { sectionCrumb } from '../ui/menu.ts';
import { TOKEN_RIGHTS } from './token-rights.ts';

const PATH = '/projects/:project/new-token';

const WORDS: Readonly<Record<Permission, string>> = {
  create: 'Create jobs (create)',
  read: 'Read job status (read)',
};

function show({ namespace }: PageRequest, form: FormState, checked: readonly string[]): ShownPage {
  return {
    kind: 'page',
    view: '/tokens/new-token',
    title: 'New access token',
    section: 'tokens',
    trail: [sectionCrumb(namespace, 'tokens')],
    data: {
      form,
      formId: randomUUID(),
      permissions: PERMISSIONS.map((value) => ({
        value,
        text: WORDS[value],
        isChecked: checked.includes(value),
      })),
      href: FORMAT.path('projects', namespace, 'new-token'),
      back: FORMAT.path('projects', namespace, 'tokens'),
    },
    status: formStatus(form.errors),
  };
}

/** The response to the form contains the value. No other page can show it because it is not stored. */
async function post(request: PageRequest): Promise<ShownPage> {
  const { form, namespace } = request;
  const values = filledIn(form, 'name');
  const { name = '' } = values;
  const permissions = form.getAll('permissions');
  try {
    const token = await request.user.administration
      .tokens(request.namespace)
      .create({ name: name === '' ? undefined : name, permissions, form: formIdIn(form) });
    return {
      kind: 'page',
      view: '/tokens/created-token',
      title: 'Your new access token',
      section: 'tokens',
      trail: [sectionCrumb(namespace, 'tokens')],
      data: { token, back: FORMAT.path('projects', namespace, 'tokens') },
    };
  } catch (error) {
    return show(request, { values, errors: formErrors(error, 'name') }, permissions);
  }
}

/** The form that creates an access token, and the page that shows it once. */
export function createNewTokenPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: TOKEN_RIGHTS.create,
      handle: (request) => Promise.resolve(show(request, EMPTY_FORM, PERMISSIONS)),
    },
    { method: 'POST', path: PATH, needs: TOKEN_RIGHTS.create, handle: post },
  ];
}

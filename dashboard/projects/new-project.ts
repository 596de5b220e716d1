import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import { EMPTY_FORM, type FormState, filledIn, formErrors, formStatus } from '../ui/form.ts';

const PATH = '/new-project';

function show(form: FormState): ShownPage {
  return {
    kind: 'page',
    view: '/projects/new-project',
    title: 'New project',
    section: 'projects',
    data: { form },
    status: formStatus(form.errors),
  };
}

async function post({ user, form }: PageRequest): Promise<ShownPage | GoTo> {
  const values = filledIn(form, 'namespace', 'displayName', 'createNamespace');
  const { namespace = '', displayName = '', createNamespace } = values;
  try {
    await user.administration.projects().create({
      namespace,
      ...(displayName === '' ? {} : { displayName }),
      createNamespace: createNamespace === 'yes',
    });
  } catch (error) {
    return show({ values, errors: formErrors(error, 'namespace') });
  }
  const text = `Project created in namespace ${namespace}`;
  return { kind: 'go', to: '/projects', flash: { kind: 'done', text } };
}

/** The form that creates a project in a namespace. */
export function createNewProjectPage(): readonly Route[] {
  return [
    { method: 'GET', path: PATH, handle: () => Promise.resolve(show(EMPTY_FORM)) },
    { method: 'POST', path: PATH, handle: post },
  ];
}

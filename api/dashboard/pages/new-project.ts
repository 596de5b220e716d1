import { GROUP_VERSION, PROJECT_NAME } from '#crds/api-group.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import { createObjectClient } from '#runtime/kube/object-client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { EMPTY_FORM, type FormState, filledIn } from '../form.ts';
import { toPageError } from '../middleware/error-pages.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../page.ts';
import type { Question } from '../person/access.ts';

export const CREATE_PROJECT: Question = { verb: 'create', resource: 'zipprojects' };
const PATH = '/new-project';
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const MAX_TITLE_LENGTH = 128;

type Values = Readonly<Record<string, string>>;

const show = (form: FormState): ShownPage => ({
  kind: 'page',
  view: '/pages/new-project',
  title: 'New project',
  section: 'projects',
  data: { form },
  status: Object.keys(form.errors).length === 0 ? 200 : 422,
});

const faultsOf = ({ namespace = '', displayName = '' }: Values): Values => ({
  ...(NAMESPACE.test(namespace)
    ? {}
    : { namespace: 'Name a namespace: small letters, digits and hyphens, 63 characters at most.' }),
  ...(displayName.length <= MAX_TITLE_LENGTH
    ? {}
    : { displayName: `Use ${MAX_TITLE_LENGTH} characters at most.` }),
});

const create = async ({ person, signal }: PageRequest, values: Values): Promise<Values> => {
  const { namespace = '', displayName = '' } = values;
  const projects = createObjectClient(person.kube, RESOURCES.zipProjects);
  const project = {
    apiVersion: GROUP_VERSION,
    kind: 'ZipProject',
    metadata: { namespace, name: PROJECT_NAME },
    spec: displayName === '' ? {} : { displayName },
  } as const;
  try {
    const made = await projects.create(project, { signal });
    return made === undefined ? { namespace: 'This namespace is a project already.' } : {};
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return { namespace: 'There is no such namespace.' };
    // Why the cluster refuses belongs beside the field, not on a page that loses what was filled in.
    if (isKubeError(error, 'Forbidden', 'Invalid', 'QuotaExceeded', 'NamespaceTerminating'))
      return { namespace: toPageError(error).message };
    throw error;
  }
};

const post = async (request: PageRequest): Promise<ShownPage | GoTo> => {
  const values = filledIn(request.form, 'namespace', 'displayName');
  const faults = faultsOf(values);
  const errors = Object.keys(faults).length > 0 ? faults : await create(request, values);
  if (Object.keys(errors).length > 0) return show({ values, errors });
  const { namespace = '' } = values;
  return {
    kind: 'go',
    to: '/projects',
    flash: { kind: 'done', text: `The namespace ${namespace} is a project now.` },
  };
};

/** Makes a project of a namespace. */
export const createNewProjectPage = (): readonly Route[] => [
  { method: 'GET', path: PATH, handle: () => Promise.resolve(show(EMPTY_FORM)) },
  { method: 'POST', path: PATH, handle: post },
];

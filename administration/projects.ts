import { GROUP_VERSION, PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Clock } from '#runtime/clock.ts';
import { isRecord } from '#runtime/kube/decode.ts';
import type { Namespace } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError, hasCode } from './administration-error.ts';
import { checkNewProject, checkProjectChange, type NewProject, type ProjectChange } from './project-input.ts';
import { type Project, toProject } from './project-view.ts';
import { noProject, requiredProject } from './required-project.ts';
import { type WaitOptions, waitFor } from './wait-for.ts';

export interface ProjectsOptions {
  readonly projects: ObjectClient<ZipProject>;
  readonly namespaces: Pick<ObjectClient<Namespace>, 'create'>;
  readonly clock: Clock;
}

export interface ProjectList {
  readonly projects: readonly Project[];
  /** The namespaces that were asked, when the person may not list all; undefined when nothing is left out. */
  readonly onlyOf?: readonly string[];
}

/** Projects, as far as the access rules of the cluster let the person see and change them. */
export interface Projects {
  /** All that the person may see: of every namespace, or else those of `namespaces`. */
  list(options: { readonly namespaces: readonly string[] }): Promise<ProjectList>;
  /** @throws AdministrationError NotFound */
  show(namespace: string): Promise<Project>;
  /** @throws AdministrationError InvalidInput, AlreadyExists */
  create(project: NewProject): Promise<Project>;
  /** What is changed counts for what happens from now on: jobs that run go on. @throws AdministrationError InvalidInput, NotFound */
  update(namespace: string, change: ProjectChange): Promise<Project>;
  /**
   * Waits until the controller has said that zippers can run.
   * @throws AdministrationError TimedOut with what the controller said last.
   */
  untilReady(namespace: string, options: WaitOptions): Promise<Project>;
  /** Begins the deletion: tokens open nothing from now on, jobs are cancelled. @throws AdministrationError NotFound */
  delete(namespace: string): Promise<void>;
}

/** Undefined where the person may not look. */
const seen = async (options: ProjectsOptions, namespace: string): Promise<ZipProject | undefined> => {
  try {
    return await options.projects.get(namespace, PROJECT_NAME);
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return undefined;
    throw error;
  }
};

const byNamespace = (a: Project, b: Project): number => (a.namespace < b.namespace ? -1 : 1);

const listAll = async (options: ProjectsOptions, namespaces: readonly string[]): Promise<ProjectList> => {
  try {
    const all = await options.projects.list();
    return { projects: all.map(toProject).toSorted(byNamespace) };
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    const onlyOf = [...new Set(namespaces)].toSorted();
    const found = await Promise.all(onlyOf.map((namespace) => seen(options, namespace)));
    return { projects: found.flatMap((project) => (project ? [toProject(project)] : [])), onlyOf };
  }
};

const aNamespace = (name: string): Namespace => ({
  metadata: { name, namespace: '', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
});

/** A namespace that is not there is told apart from a project that is not there. */
const isNamespaceMissing = (thrown: unknown): boolean =>
  hasCode(thrown, 'NotFound') && /namespaces? "?[^ ]+"? not found/.test(thrown.message);

const createProject = async (options: ProjectsOptions, project: NewProject): Promise<Project> => {
  checkNewProject(project);
  const { namespace, displayName, limits } = project;
  if (project.createNamespace === true) await options.namespaces.create(aNamespace(namespace));
  const hasLimits = isRecord(limits) && Object.keys(limits).length > 0;
  try {
    const created = await options.projects.create({
      apiVersion: GROUP_VERSION,
      kind: 'ZipProject',
      metadata: { namespace, name: PROJECT_NAME },
      spec: { ...(displayName !== undefined && { displayName }), ...(hasLimits && { limits }) },
    });
    if (created) return toProject(created);
  } catch (error) {
    if (!isNamespaceMissing(error)) throw error;
    throw new AdministrationError(
      `To create a project failed: there is no namespace ${namespace}. Name one that exists, or have it created with the project (--create-namespace)`,
      { code: 'NotFound', cause: error },
    );
  }
  throw new AdministrationError(
    `Namespace ${namespace} holds a project already. Use it, or choose another namespace`,
    {
      code: 'AlreadyExists',
    },
  );
};

const show = async (options: ProjectsOptions, namespace: string): Promise<Project> =>
  toProject(await requiredProject(options.projects, namespace));

const update = async (
  options: ProjectsOptions,
  namespace: string,
  change: ProjectChange,
): Promise<Project> => {
  checkProjectChange(change);
  await requiredProject(options.projects, namespace);
  const { displayName, limits } = change;
  const spec = { ...(displayName !== undefined && { displayName }), ...(limits && { limits }) };
  return toProject(await options.projects.mergePatch({ namespace, name: PROJECT_NAME }, { spec }));
};

export const createProjects = (options: ProjectsOptions): Projects => ({
  list: ({ namespaces }) => listAll(options, namespaces),
  show: (namespace) => show(options, namespace),
  create: (project) => createProject(options, project),
  update: (namespace, change) => update(options, namespace, change),
  untilReady: async (namespace, wait) => {
    let last: Project | undefined;
    const ready = await waitFor({ ...wait, clock: options.clock }, async () => {
      last = await show(options, namespace);
      return last.ready?.status === 'True' ? last : undefined;
    });
    if (ready) return ready;
    const said = last?.ready?.message ?? 'the controller has said nothing of it: does it run?';
    throw new AdministrationError(
      `The project ${namespace} exists, but is not ready after ${Math.round(wait.limitMs / 1000)} s: ${said}`,
      { code: 'TimedOut' },
    );
  },
  delete: async (namespace) => {
    if (!(await options.projects.delete(namespace, PROJECT_NAME))) throw noProject(namespace);
  },
});

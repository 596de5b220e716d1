import { GROUP_VERSION, PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { Namespace } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { eachLimit } from '#runtime/project-limits/lower-limit.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { requiredProject } from '../changes/required-project.ts';
import { type WaitOptions, waitOrTimeOut } from '../changes/wait-for.ts';
import { AdministrationError, hasCode, invalidInput } from '../errors/administration-error.ts';
import {
  type AlsoDelete,
  type DeletedProject,
  type DeleteProjectOptions,
  deleteProject,
} from './delete-project.ts';
import { checkNewProject, checkProjectChange, type NewProject, type ProjectChange } from './project-input.ts';
import { ceilingText, exceededMaximum, toLimitView } from './project-limits.ts';
import { changeSettings, type ProjectSettings, type SettingsChange, toSettings } from './project-settings.ts';
import { type HistoryPurgeView, type Project, toProject } from './project-view.ts';
import { beginPurgeHistory, purgeHistory } from './purge-history.ts';

export interface ProjectsOptions extends Pick<DeleteProjectOptions, 'tokens' | 'buckets' | 'secrets'> {
  readonly projects: ObjectClient<ZipProject>;
  readonly namespaces: Pick<ObjectClient<Namespace>, 'create'>;
  readonly clock: Clock;
}

export interface ProjectList {
  readonly projects: readonly Project[];
  /** The namespaces that were searched, if the user lacks permission to list all; undefined if the list is complete. */
  readonly onlyOf?: readonly string[];
}

/** Projects, limited by the RBAC permissions of the user. */
export interface Projects {
  /** Lists the projects of every namespace, or of `namespaces` if the user lacks that permission. */
  list(options: { readonly namespaces: readonly string[] }): Promise<ProjectList>;
  /** @throws AdministrationError NotFound */
  show(namespace: string): Promise<Project>;
  /** @throws AdministrationError InvalidInput, AlreadyExists */
  create(project: NewProject): Promise<Project>;
  /** Changes apply to new jobs and requests; running jobs are not affected. @throws AdministrationError InvalidInput, NotFound */
  update(namespace: string, change: ProjectChange): Promise<Project>;
  /** All settings that the owner may change. @throws AdministrationError NotFound */
  settings(namespace: string): Promise<ProjectSettings>;
  /**
   * Replaces one part of the settings.
   * @throws AdministrationError Conflict if that part has changed since it was read; InvalidInput; NotFound
   */
  changeSettings(namespace: string, change: SettingsChange): Promise<ProjectSettings>;
  /**
   * Waits until the controller reports the project Ready.
   * @throws AdministrationError TimedOut with the last message of the controller.
   */
  untilReady(namespace: string, options: WaitOptions): Promise<Project>;
  /** Starts the deletion: tokens are invalid immediately, jobs are cancelled. @throws AdministrationError NotFound */
  delete(namespace: string, also?: AlsoDelete): Promise<DeletedProject>;
  /**
   * Waits until the project does not exist any more.
   * @throws AdministrationError TimedOut with the last message of the controller
   */
  untilDeleted(namespace: string, options: WaitOptions): Promise<void>;
  /**
   * Deletes all records of the project from the history, and waits until it is done. ZipJobs are kept.
   * @throws AdministrationError NotFound; Refused without a history; TimedOut with the last message of the controller
   */
  purgeHistory(namespace: string, options: WaitOptions): Promise<HistoryPurgeView>;
  /** The same without waiting: `historyPurge` of the project has the state. @throws AdministrationError NotFound */
  beginPurgeHistory(namespace: string): Promise<void>;
}

/** Undefined if the user lacks permission. */
async function getIfAllowed(options: ProjectsOptions, namespace: string): Promise<ZipProject | undefined> {
  try {
    return await options.projects.get(namespace, PROJECT_NAME);
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return undefined;
    throw error;
  }
}

function byNamespace(a: Project, b: Project): number {
  return a.namespace < b.namespace ? -1 : 1;
}

async function listAll(options: ProjectsOptions, namespaces: readonly string[]): Promise<ProjectList> {
  try {
    const all = await options.projects.list();
    return { projects: all.map(toProject).toSorted(byNamespace) };
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    const onlyOf = [...new Set(namespaces)].toSorted();
    const found = await Promise.all(onlyOf.map((namespace) => getIfAllowed(options, namespace)));
    return { projects: found.flatMap((project) => (project ? [toProject(project)] : [])), onlyOf };
  }
}

function aNamespace(name: string): Namespace {
  return {
    metadata: { name, namespace: '', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  };
}

/** Distinguishes a missing namespace from a missing project. */
function isNamespaceMissing(thrown: unknown): boolean {
  return hasCode(thrown, 'NotFound') && isKubeError(thrown.cause) && thrown.cause.resource === 'namespaces';
}

async function createProject(options: ProjectsOptions, project: NewProject): Promise<Project> {
  checkNewProject(project);
  const { namespace, displayName, limits } = project;
  if (project.createNamespace === true) await options.namespaces.create(aNamespace(namespace));
  const hasLimits = isRecord(limits) && Object.keys(limits).length > 0;
  try {
    const created = await options.projects.create({
      apiVersion: GROUP_VERSION,
      kind: 'ZipProject',
      metadata: { namespace, name: PROJECT_NAME },
      spec: defined({ displayName, limits: hasLimits ? limits : undefined }),
    });
    if (created) return toProject(created);
  } catch (error) {
    if (!isNamespaceMissing(error)) throw error;
    throw new AdministrationError(
      `Cannot create a project: namespace "${namespace}" not found. Create it along with the project (--create-namespace), or use an existing namespace`,
      { code: 'NotFound', cause: error },
    );
  }
  throw new AdministrationError(
    `A project already exists in namespace "${namespace}". Use it, or choose another namespace`,
    {
      code: 'AlreadyExists',
    },
  );
}

async function show(options: ProjectsOptions, namespace: string): Promise<Project> {
  return toProject(await requiredProject(options.projects, namespace));
}

/** @throws AdministrationError InvalidInput for a limit above that of the class */
function checkCeilings(project: ZipProject, { limits = {} }: ProjectChange): void {
  const view = toLimitView(project);
  eachLimit((name) => {
    const maximum = exceededMaximum(view, name, limits[name] ?? 0);
    if (maximum !== undefined) throw invalidInput(name, `${name}: ${ceilingText(view, String(maximum))}`);
  });
}

async function update(options: ProjectsOptions, namespace: string, change: ProjectChange): Promise<Project> {
  checkProjectChange(change);
  checkCeilings(await requiredProject(options.projects, namespace), change);
  const { displayName, limits, historyRetentionDays } = change;
  const spec = defined({ displayName, limits, historyRetentionDays });
  return toProject(await options.projects.mergePatch({ namespace, name: PROJECT_NAME }, { spec }));
}

export function createProjects(options: ProjectsOptions): Projects {
  return {
    list: ({ namespaces }) => listAll(options, namespaces),
    show: (namespace) => show(options, namespace),
    create: (project) => createProject(options, project),
    update: (namespace, change) => update(options, namespace, change),
    settings: async (namespace) => toSettings(await requiredProject(options.projects, namespace)),
    changeSettings: async (namespace, change) =>
      toSettings(await changeSettings(options.projects, namespace, change)),
    untilReady: (namespace, wait) => {
      let last: Project | undefined;
      async function ask(signal: AbortSignal): Promise<Project | undefined> {
        last = toProject(await requiredProject(options.projects, namespace, signal));
        return last.ready?.status === 'True' ? last : undefined;
      }
      return waitOrTimeOut({ ...wait, clock: options.clock }, ask, () => {
        const said =
          last?.ready?.message ?? 'the controller has not reported a status. Check that it is running';
        return `Project "${namespace}" was created but is not ready after ${Math.round(wait.limitMs / 1000)} s: ${said}`;
      });
    },
    untilDeleted: async (namespace, wait) => {
      let last: ZipProject | undefined;
      async function ask(signal: AbortSignal): Promise<true | undefined> {
        last = await options.projects.get(namespace, PROJECT_NAME, signal);
        return last?.metadata.deletionTimestamp === undefined ? true : undefined;
      }
      await waitOrTimeOut({ ...wait, clock: options.clock }, ask, () => {
        const why = last && toProject(last).ready?.message;
        return `Project "${namespace}" is still being deleted after ${Math.round(wait.limitMs / 1000)} s${why === undefined ? '' : `: ${why}`}`;
      });
    },
    delete: (namespace, also = {}) => deleteProject(options, namespace, also),
    purgeHistory: (namespace, wait) =>
      purgeHistory(options.projects, namespace, { ...wait, clock: options.clock }),
    beginPurgeHistory: (namespace) => beginPurgeHistory(options.projects, namespace),
  };
}

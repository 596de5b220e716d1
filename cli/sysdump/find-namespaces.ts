import { LABELS } from '#crds/api-group.ts';
import { defined } from '#runtime/collections/optional.ts';
import { listPages } from '#runtime/kube/client/list-pages.ts';
import { textAt } from '#runtime/kube/fields.ts';
import type { DumpContext } from './dump-context.ts';
import { type DumpedKind, ZIP_JOBS, ZIP_PROJECTS } from './kinds.ts';

export interface Asked {
  /** Namespace of the chart; searched for when absent. */
  readonly systemNamespace?: string | undefined;
  /** Searched for when empty. */
  readonly projects: readonly string[];
  /** Searched when the user lacks permission to list every namespace. */
  readonly ownNamespace: string;
}

export interface Namespaces {
  readonly system: readonly string[];
  /** Namespaces of projects, without the system namespaces. */
  readonly projects: readonly string[];
}

const DEFAULT_SYSTEM_NAMESPACE = 'zipjobs-system';
const PAGE_SIZE = 500;
const DEPLOYMENTS: DumpedKind = {
  apiVersion: 'apps/v1',
  plural: 'deployments',
  kind: 'Deployment',
  scope: 'Namespaced',
  labelSelector: `${LABELS.partOf}=zipjobs`,
};

/** Namespaces with objects of the kind. If they cannot be listed, notes the problem and returns undefined. */
async function namespacesWith(
  { kube, signal, problems }: DumpContext,
  kind: DumpedKind,
  options: { readonly fieldSelector?: string } = {},
): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>();
  const { labelSelector } = kind;
  try {
    const pages = listPages(kube, kind, {
      pageSize: PAGE_SIZE,
      signal,
      ...options,
      ...defined({ labelSelector }),
    });
    for await (const { items } of pages)
      for (const item of items) found.add(textAt(item, 'metadata', 'namespace'));
    return found;
  } catch (error) {
    problems.failed(`${kind.plural} of all namespaces`, error);
    return undefined;
  }
}

async function findSystem(context: DumpContext, asked: Asked): Promise<readonly string[]> {
  if (asked.systemNamespace !== undefined) return [asked.systemNamespace];
  const found = await namespacesWith(context, DEPLOYMENTS);
  if (found !== undefined && found.size > 0) return [...found];
  context.problems.note(
    'the namespace of the chart',
    `not found; searched ${DEFAULT_SYSTEM_NAMESPACE}. Set another one with --system-namespace`,
  );
  return [DEFAULT_SYSTEM_NAMESPACE];
}

/** Queued jobs may be in a namespace that has no project yet. */
async function findProjects(context: DumpContext, asked: Asked): Promise<readonly string[]> {
  if (asked.projects.length > 0) return asked.projects;
  const projects = await namespacesWith(context, ZIP_PROJECTS);
  if (projects === undefined) {
    context.problems.note(
      'other projects',
      `only ${asked.ownNamespace} was searched. Set another one with --namespace`,
    );
    return [asked.ownNamespace];
  }
  const waiting = await namespacesWith(context, ZIP_JOBS, { fieldSelector: 'status.phase=Queued' });
  return [...new Set([...projects, ...(waiting ?? [])])].toSorted();
}

/** The namespaces to dump. */
export async function findNamespaces(context: DumpContext, asked: Asked): Promise<Namespaces> {
  const { maxProjects } = context.limits;
  const system = await findSystem(context, asked);
  const projects = await findProjects(context, asked);
  if (projects.length > maxProjects)
    context.problems.note(
      'projects',
      `truncated: the dump contains the first ${maxProjects} of ${projects.length}. Select one with --namespace`,
    );
  return { system, projects: projects.slice(0, maxProjects).filter((one) => !system.includes(one)) };
}

import { ANNOTATIONS } from '#crds/api-group.ts';
import { DEFAULT_ENDPOINT, endpointAnnotation, findEndpoint } from '#crds/webhook-endpoints.ts';
import { isFinished } from '#crds/zip-job.ts';
import type { EndpointState, ZipProject } from '#crds/zip-project.ts';
import { type KubeObject, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import type { ProjectClasses } from '#runtime/project-limits/project-classes.ts';
import { type Caches, CHANGING, INDEXES } from '../cluster/caches.ts';
import { commandOf } from '../cluster/command.ts';
import { isLeaving } from '../cluster/release.ts';
import type { IsNamespaceTerminating } from '../cluster/terminating-namespaces.ts';
import type { Purges } from '../history/purges.ts';
import type { WebhookDispatcher } from '../webhook/dispatcher.ts';
import type { EndpointNotes } from '../webhook/endpoint-notes.ts';
import { testIdOf, testKeyOf } from '../webhook/test-event.ts';
import type { ProjectHints, ProjectObservation, Remainder } from './observation.ts';
import type { ProjectChildren } from './project-children.ts';
import type { RefusedJobs } from './refused-jobs.ts';

export interface ObserveProjectOptions {
  readonly caches: Pick<Caches, 'projects' | 'zipJobs' | 'buckets' | 'jobs' | 'pods'>;
  readonly children: Pick<ProjectChildren, 'of'>;
  readonly projectClasses: Pick<ProjectClasses, 'of'>;
  readonly notes: Pick<EndpointNotes, 'of'>;
  readonly refusedJobs: Pick<RefusedJobs, 'of'>;
  readonly dispatcher: Pick<WebhookDispatcher, 'state' | 'endpoints'>;
  /** Undefined without a history. */
  readonly purges: Pick<Purges, 'of'> | undefined;
  readonly isNamespaceTerminating: IsNamespaceTerminating;
}

function inNamespace<T extends KubeObject>(objects: Iterable<T>, namespace: string): readonly T[] {
  return [...objects].filter(({ metadata }) => metadata.namespace === namespace);
}

async function remainderOf(
  { caches, isNamespaceTerminating }: ObserveProjectOptions,
  { metadata }: ZipProject,
): Promise<Remainder> {
  return {
    unfinished: caches.zipJobs
      .byIndex(INDEXES.changing, metadata.namespace, CHANGING)
      .filter((one) => !isFinished(one)),
    buckets: inNamespace(caches.buckets.values(), metadata.namespace),
    isNamespaceTerminating: await isNamespaceTerminating(metadata.namespace),
  };
}

function leftOutIn({ caches }: ObserveProjectOptions, namespace: string): readonly string[] {
  const { zipJobs, buckets, jobs, pods } = caches;
  return Object.entries({ ZipJob: zipJobs, ZipBucket: buckets, Job: jobs, Pod: pods }).flatMap(
    ([kind, cache]) => (cache.isIncomplete(namespace) ? [kind] : []),
  );
}

/** Of the endpoints of the project, and of those that it had when a test of them started. */
function testsOf({ dispatcher }: ObserveProjectOptions, project: ZipProject): ProjectObservation['tests'] {
  const { metadata, spec, status } = project;
  const key = testKeyOf(objectKey(project));
  const names = new Set([
    DEFAULT_ENDPOINT,
    ...(spec.webhook?.endpoints ?? []).map(({ name }) => name),
    ...dispatcher.endpoints(key),
  ]);
  return new Map(
    [...names].map((name) => {
      const annotation = endpointAnnotation(ANNOTATIONS.testWebhook, name);
      const known = findEndpoint<EndpointState>(status?.webhook, name)?.test?.nonce;
      const nonce = commandOf(metadata, annotation, known);
      return [name, dispatcher.state(key, nonce === undefined ? undefined : testIdOf(project, nonce), name)];
    }),
  );
}

/** Reads the input of a decision about a ZipProject. Undefined if it does not exist. */
export function createObserveProject(options: ObserveProjectOptions) {
  return async (key: ObjectKey, hints: ProjectHints): Promise<ProjectObservation | undefined> => {
    const project = options.caches.projects.get(key);
    if (!project) return undefined;
    const { created = [], failure } = hints;
    return {
      project,
      projectClass: options.projectClasses.of(project.metadata.namespace),
      children: options.children
        .of(project)
        .map((child) => (created.includes(child.kind) ? { ...child, isPresent: true } : child)),
      failure,
      responses: options.notes.of(project.metadata.namespace),
      tests: testsOf(options, project),
      hasHistory: options.purges !== undefined,
      refusal: options.refusedJobs.of(project.metadata.namespace),
      leftOut: leftOutIn(options, project.metadata.namespace),
      purge: options.purges?.of(key),
      ...(isLeaving(project.metadata) && { remainder: await remainderOf(options, project) }),
    };
  };
}

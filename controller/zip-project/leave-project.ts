import { FIELD_MANAGERS, GROUP_VERSION } from '#crds/api-group.ts';
import { setCondition, shorten } from '#crds/conditions.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Clock } from '#runtime/clock.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import type { Finalizers } from '../engine/finalizers.ts';
import type { Caches } from '../kube-state/caches.ts';
import { holdsFinalizer } from '../kube-state/release.ts';
import type { IsNamespaceTerminating } from '../kube-state/terminating-namespaces.ts';
import { type ProjectDeletion, projectDeletion } from './project-deletion.ts';

export interface LeaveProjectOptions {
  readonly caches: Pick<Caches, 'zipJobs' | 'buckets'>;
  readonly projects: Pick<ObjectClient<ZipProject>, 'apply'>;
  readonly zipJobs: Pick<ObjectClient<ZipJob>, 'mergePatch'>;
  readonly finalizers: Finalizers<ZipProject>;
  readonly isNamespaceTerminating: IsNamespaceTerminating;
  readonly projectDeletionSeconds: number;
  readonly clock: Pick<Clock, 'date'>;
}

/** Reconciles a ZipProject that is being deleted; returns the requeue delay in milliseconds. */
export type LeaveProject = (project: ZipProject) => Promise<number | undefined>;

const inNamespace = <T extends KubeObject>(objects: Iterable<T>, namespace: string): readonly T[] =>
  [...objects].filter(({ metadata }) => metadata.namespace === namespace);

const cancel = async ({ zipJobs }: LeaveProjectOptions, { metadata }: ZipJob): Promise<void> => {
  try {
    await zipJobs.mergePatch(
      { namespace: metadata.namespace, name: metadata.name },
      { spec: { cancel: true } },
    );
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
};

const tell = async (
  { projects, clock }: LeaveProjectOptions,
  project: ZipProject,
  message: string,
): Promise<void> => {
  const { namespace, name, generation, resourceVersion } = project.metadata;
  const { conditions: before, webhook } = project.status ?? {};
  const known = before?.find(({ type }) => type === 'Ready');
  const change = {
    type: 'Ready',
    status: 'False',
    reason: 'ProjectDeleting',
    message: shorten(message),
    ...(generation !== undefined && { observedGeneration: generation }),
  } as const;
  if (known?.reason === change.reason && known.message === change.message) return;
  const status = {
    conditions: setCondition(before, change, clock.date()),
    ...(webhook && { webhook }),
  };
  await projects.apply(
    {
      apiVersion: GROUP_VERSION,
      kind: 'ZipProject',
      // A ZipProject of the same name may be a new one, or the webhook in its status a newer one.
      metadata: { namespace, name, ...(resourceVersion !== undefined && { resourceVersion }) },
      status,
    },
    { fieldManager: FIELD_MANAGERS.controller, subresource: 'status' },
  );
};

const wait = async (
  options: LeaveProjectOptions,
  project: ZipProject,
  next: Extract<ProjectDeletion, { kind: 'wait' }>,
): Promise<number> => {
  await tell(options, project, next.message);
  for (const zipJob of next.cancel) await cancel(options, zipJob);
  return Math.max(0, next.until.getTime() - options.clock.date().getTime());
};

export const createLeaveProject =
  (options: LeaveProjectOptions): LeaveProject =>
  async (project) => {
    if (!holdsFinalizer(project.metadata)) return undefined;
    const { caches, clock, projectDeletionSeconds } = options;
    const { namespace } = project.metadata;
    const next = projectDeletion(
      {
        project,
        unfinished: inNamespace(caches.zipJobs.values(), namespace).filter((zipJob) => !isFinished(zipJob)),
        buckets: inNamespace(caches.buckets.values(), namespace),
        isNamespaceTerminating: await options.isNamespaceTerminating(namespace),
      },
      { now: clock.date(), projectDeletionSeconds },
    );
    if (next.kind === 'wait') return wait(options, project, next);
    await options.finalizers.release(project, next.forced);
    return undefined;
  };

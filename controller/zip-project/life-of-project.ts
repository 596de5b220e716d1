import type { ZipProject } from '#crds/zip-project.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import type { Finalizers } from '../engine/finalizers.ts';
import { holdsFinalizer, isLeaving } from '../kube-state/release.ts';
import type { LeaveProject } from './leave-project.ts';

export interface LifeOfProjectOptions {
  readonly find: (key: ObjectKey) => ZipProject | undefined;
  readonly finalizers: Finalizers<ZipProject>;
  /** Reconciles a project that is not being deleted, and cleans up after a deleted one. */
  readonly keep: (key: ObjectKey) => Promise<void>;
  readonly leave: LeaveProject;
}

/** Long enough for the watch to deliver the conflicting version. */
const AFTER_CONFLICT_MS = 200;

/** Reconciles a ZipProject from creation to deletion; returns the requeue delay in milliseconds, for when nothing changes. */
export const createLifeOfProject = (options: LifeOfProjectOptions) => {
  const { find, finalizers, keep, leave } = options;
  const round = async (key: ObjectKey): Promise<number | undefined> => {
    const project = find(key);
    if (project && isLeaving(project.metadata)) return leave(project);
    // The event of this write requeues the project.
    if (project && !holdsFinalizer(project.metadata)) await finalizers.add(project);
    else await keep(key);
    return undefined;
  };
  return async (key: ObjectKey): Promise<number | undefined> => {
    try {
      return await round(key);
    } catch (error) {
      if (isKubeError(error, 'Conflict')) return AFTER_CONFLICT_MS;
      throw error;
    }
  };
};

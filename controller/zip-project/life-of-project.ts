import type { ZipProject } from '#crds/zip-project.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import type { Finalizers } from '../engine/finalizers.ts';
import { holdsFinalizer, isLeaving } from '../kube-state/release.ts';
import type { LeaveProject } from './leave-project.ts';

export interface LifeOfProjectOptions {
  readonly find: (key: ObjectKey) => ZipProject | undefined;
  readonly finalizers: Finalizers<ZipProject>;
  /** Sees to a project that stays, and to what is left of one that is gone. */
  readonly keep: (key: ObjectKey) => Promise<void>;
  readonly leave: LeaveProject;
}

/** The watch brings the version that a write met; no need to be quick. */
const AFTER_CONFLICT_MS = 200;

/** From the first sight of a ZipProject to its end; answers when to look again although nothing changes, in milliseconds. */
export const createLifeOfProject = (options: LifeOfProjectOptions) => {
  const { find, finalizers, keep, leave } = options;
  const pass = async (key: ObjectKey): Promise<number | undefined> => {
    const project = find(key);
    if (project && isLeaving(project.metadata)) return leave(project);
    // The event of this write brings the project back.
    if (project && !holdsFinalizer(project.metadata)) await finalizers.add(project);
    else await keep(key);
    return undefined;
  };
  return async (key: ObjectKey): Promise<number | undefined> => {
    try {
      return await pass(key);
    } catch (error) {
      if (isKubeError(error, 'Conflict')) return AFTER_CONFLICT_MS;
      throw error;
    }
  };
};

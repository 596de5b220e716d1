import { FINALIZER } from '#crds/api-group.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { type ForcedRemoval, holdsFinalizer } from '../kube-state/release.ts';
import type { ControllerMetrics } from '../metrics.ts';

export interface Finalizers<T extends KubeObject> {
  add(object: T): Promise<void>;
  /** `early` is the reason of a forced finalizer removal, which is counted. */
  release(object: T, forced?: ForcedRemoval): Promise<void>;
}

export interface FinalizersOptions<T extends KubeObject> {
  readonly kind: 'ZipBucket' | 'ZipProject';
  readonly client: Pick<ObjectClient<T>, 'mergePatch'>;
  readonly metrics: Pick<ControllerMetrics, 'finalizersReleased'>;
}

/** Adds and removes our finalizer on objects of one kind. Throws conflicts: the caller must decide again. */
export const createFinalizers = <T extends KubeObject>({
  kind,
  client,
  metrics,
}: FinalizersOptions<T>): Finalizers<T> => {
  const write = async ({ metadata }: T, finalizers: readonly string[]): Promise<boolean> => {
    const { namespace, name, resourceVersion } = metadata;
    try {
      await client.mergePatch({ namespace, name }, { metadata: { finalizers, resourceVersion } });
      return true;
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return false;
      throw error;
    }
  };
  return {
    add: async (object) => {
      await write(object, [...(object.metadata.finalizers ?? []), FINALIZER]);
    },
    release: async (object, forced) => {
      if (!holdsFinalizer(object.metadata)) return;
      const rest = (object.metadata.finalizers ?? []).filter((name) => name !== FINALIZER);
      if ((await write(object, rest)) && forced !== undefined)
        metrics.finalizersReleased.inc({ kind, reason: forced });
    },
  };
};

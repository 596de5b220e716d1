import { FINALIZER } from '#crds/api-group.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { type EarlyRelease, holdsFinalizer } from '../kube-state/release.ts';
import type { ControllerMetrics } from '../metrics.ts';

export interface Finalizers<T extends KubeObject> {
  add(object: T): Promise<void>;
  /** `early` says why it goes before what it waits for is done; such releases are counted. */
  release(object: T, early?: EarlyRelease): Promise<void>;
}

export interface FinalizersOptions<T extends KubeObject> {
  readonly kind: 'ZipBucket' | 'ZipProject';
  readonly client: Pick<ObjectClient<T>, 'mergePatch'>;
  readonly metrics: Pick<ControllerMetrics, 'finalizersReleased'>;
}

/** Puts our finalizer on the objects of one kind and takes it off. A conflict is the caller's: the object is to be judged anew. */
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
    release: async (object, early) => {
      if (!holdsFinalizer(object.metadata)) return;
      const rest = (object.metadata.finalizers ?? []).filter((name) => name !== FINALIZER);
      if ((await write(object, rest)) && early !== undefined)
        metrics.finalizersReleased.inc({ kind, reason: early });
    },
  };
};

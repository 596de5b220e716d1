import { FINALIZER } from '#crds/api-group.ts';
import {
  type FinalizersPatch,
  holdsFinalizer,
  type PatchClient,
  patchFinalizers,
  withoutFinalizer,
} from '#runtime/kube/finalizer.ts';
import type { KubeObject } from '#runtime/kube/types.ts';
import type { ForcedRemoval } from '../cluster/release.ts';
import type { ControllerMetrics } from '../metrics.ts';

/** Leaves the annotations alone if there is nothing to add. */
function adding(annotations: Readonly<Record<string, string>>): Pick<FinalizersPatch, 'annotations'> {
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/** Both return the object as written. */
export interface Finalizers<T extends KubeObject> {
  add(object: T): Promise<T>;
  /** `forced` is the reason of a forced finalizer removal, which is counted. */
  release(object: T, forced?: ForcedRemoval): Promise<T>;
}

export interface FinalizersOptions<T extends KubeObject> {
  readonly kind: 'ZipJob' | 'ZipBucket' | 'ZipProject';
  readonly client: PatchClient<T>;
  /** Annotations that both writes add. */
  readonly annotations?: (object: T) => Readonly<Record<string, string>>;
  readonly metrics: Pick<ControllerMetrics, 'finalizersReleased'>;
}

/** Adds and removes our finalizer on objects of one kind. Throws Conflict and NotFound: the caller must decide again. */
export function createFinalizers<T extends KubeObject>({
  kind,
  client,
  annotations = () => ({}),
  metrics,
}: FinalizersOptions<T>): Finalizers<T> {
  return {
    add: (object) => {
      const finalizers = [...withoutFinalizer(object.metadata.finalizers), FINALIZER];
      return patchFinalizers(client, object.metadata, { finalizers, ...adding(annotations(object)) });
    },
    release: async (object, forced) => {
      const { metadata } = object;
      if (!holdsFinalizer(metadata)) return object;
      const written = await patchFinalizers(client, metadata, {
        finalizers: withoutFinalizer(metadata.finalizers),
        ...adding(annotations(object)),
      });
      if (forced !== undefined) metrics.finalizersReleased.inc({ kind, reason: forced });
      return written;
    },
  };
}

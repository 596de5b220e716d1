import { FINALIZER } from '#crds/api-group.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { type ForcedRemoval, holdsFinalizer } from '../kube-state/release.ts';
import type { ControllerMetrics } from '../metrics.ts';

type PatchClient<T extends KubeObject> = Pick<ObjectClient<T>, 'mergePatch'>;

interface Change {
  readonly finalizers: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const without = (finalizers: readonly string[] = []): readonly string[] =>
  finalizers.filter((name) => name !== FINALIZER);

/** Leaves the annotations alone if there is nothing to add. */
const adding = (annotations: Readonly<Record<string, string>>): Pick<Change, 'annotations'> =>
  Object.keys(annotations).length === 0 ? {} : { annotations };

const write = <T extends KubeObject>(
  client: PatchClient<T>,
  { namespace, name, resourceVersion }: T['metadata'],
  { signal, ...metadata }: Change,
): Promise<T> =>
  client.mergePatch({ namespace, name }, { metadata: { ...metadata, resourceVersion } }, signal);

/** Removes our finalizer from this version of the object. */
export const removeFinalizer = <T extends KubeObject>(
  client: PatchClient<T>,
  { metadata }: T,
  signal?: AbortSignal,
): Promise<T> =>
  write(client, metadata, { finalizers: without(metadata.finalizers), ...(signal && { signal }) });

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
export const createFinalizers = <T extends KubeObject>({
  kind,
  client,
  annotations = () => ({}),
  metrics,
}: FinalizersOptions<T>): Finalizers<T> => ({
  add: (object) => {
    const finalizers = [...without(object.metadata.finalizers), FINALIZER];
    return write(client, object.metadata, { finalizers, ...adding(annotations(object)) });
  },
  release: async (object, forced) => {
    const { metadata } = object;
    if (!holdsFinalizer(metadata)) return object;
    const written = await write(client, metadata, {
      finalizers: without(metadata.finalizers),
      ...adding(annotations(object)),
    });
    if (forced !== undefined) metrics.finalizersReleased.inc({ kind, reason: forced });
    return written;
  },
});

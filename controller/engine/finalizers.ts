import { FINALIZER } from '#crds/api-group.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { type ForcedRemoval, holdsFinalizer } from '../kube-state/release.ts';
import type { ControllerMetrics } from '../metrics.ts';

type PatchClient<T extends KubeObject> = Pick<ObjectClient<T>, 'mergePatch'>;

const write = <T extends KubeObject>(
  client: PatchClient<T>,
  { namespace, name, resourceVersion }: T['metadata'],
  { finalizers, signal }: { readonly finalizers: readonly string[]; readonly signal?: AbortSignal },
): Promise<T> =>
  client.mergePatch({ namespace, name }, { metadata: { finalizers, resourceVersion } }, signal);

/** Removes our finalizer from this version of the object. */
export const removeFinalizer = <T extends KubeObject>(
  client: PatchClient<T>,
  { metadata }: T,
  signal?: AbortSignal,
): Promise<T> =>
  write(client, metadata, {
    finalizers: (metadata.finalizers ?? []).filter((name) => name !== FINALIZER),
    ...(signal && { signal }),
  });

/** Both return the object as written. */
export interface Finalizers<T extends KubeObject> {
  add(object: T): Promise<T>;
  /** `forced` is the reason of a forced finalizer removal, which is counted. */
  release(object: T, forced?: ForcedRemoval): Promise<T>;
}

export interface FinalizersOptions<T extends KubeObject> {
  readonly kind: 'ZipJob' | 'ZipBucket' | 'ZipProject';
  readonly client: PatchClient<T>;
  readonly metrics: Pick<ControllerMetrics, 'finalizersReleased'>;
}

/** Adds and removes our finalizer on objects of one kind. Throws Conflict and NotFound: the caller must decide again. */
export const createFinalizers = <T extends KubeObject>({
  kind,
  client,
  metrics,
}: FinalizersOptions<T>): Finalizers<T> => ({
  add: ({ metadata }) => write(client, metadata, { finalizers: [...(metadata.finalizers ?? []), FINALIZER] }),
  release: async (object, forced) => {
    if (!holdsFinalizer(object.metadata)) return object;
    const written = await removeFinalizer(client, object);
    if (forced !== undefined) metrics.finalizersReleased.inc({ kind, reason: forced });
    return written;
  },
});

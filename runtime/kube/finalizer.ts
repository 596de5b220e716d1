import { FINALIZER } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { KubeObject, ObjectClient } from './types.ts';

export type PatchClient<T extends KubeObject> = Pick<ObjectClient<T>, 'mergePatch'>;

export interface FinalizersPatch {
  readonly finalizers: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export const holdsFinalizer = ({ finalizers }: Pick<ObjectMeta, 'finalizers'>): boolean =>
  finalizers?.includes(FINALIZER) === true;

export const withoutFinalizer = (finalizers: readonly string[] = []): readonly string[] =>
  finalizers.filter((name) => name !== FINALIZER);

/** Throws Conflict if the object is no longer this version. */
export const patchFinalizers = <T extends KubeObject>(
  client: PatchClient<T>,
  { namespace, name, resourceVersion }: T['metadata'],
  { signal, ...metadata }: FinalizersPatch,
): Promise<T> =>
  client.mergePatch({ namespace, name }, { metadata: { ...metadata, resourceVersion } }, signal);

import { FINALIZER } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { KubeObject, ObjectClient } from './types.ts';

export type PatchClient<T extends KubeObject> = Pick<ObjectClient<T>, 'mergePatch'>;

export interface FinalizersPatch {
  readonly finalizers: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function holdsFinalizer({ finalizers }: Pick<ObjectMeta, 'finalizers'>): boolean {
  return finalizers?.includes(FINALIZER) === true;
}

export function withoutFinalizer(finalizers: readonly string[] = []): readonly string[] {
  return finalizers.filter((name) => name !== FINALIZER);
}

/** Throws Conflict if the object is no longer this version. */
export function patchFinalizers<T extends KubeObject>(
  client: PatchClient<T>,
  { namespace, name, resourceVersion }: T['metadata'],
  { signal, ...metadata }: FinalizersPatch,
): Promise<T> {
  return client.mergePatch({ namespace, name }, { metadata: { ...metadata, resourceVersion } }, signal);
}

import type { KubeObject, Reflector } from '#runtime/kube/types.ts';

/** Counts the objects that are read from a cache from now on. */
export function countReads<T extends KubeObject>(reflector: Reflector<T>): () => number {
  const before = { ...reflector };
  let reads = 0;
  function counted(found: readonly T[]): readonly T[] {
    reads += found.length;
    return found;
  }
  const overrides: Pick<Reflector<T>, 'get' | 'values' | 'byIndex' | 'byClusterIndex'> = {
    get: (key) => {
      reads += 1;
      return before.get(key);
    },
    values: function* () {
      for (const value of before.values()) {
        reads += 1;
        yield value;
      }
      return undefined;
    },
    byIndex: (...at) => counted(before.byIndex(...at)),
    byClusterIndex: (...at) => counted(before.byClusterIndex(...at)),
  };
  Object.assign(reflector, overrides);
  return () => reads;
}

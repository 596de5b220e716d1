import type { KubeObject, Reflector } from '#runtime/kube/types.ts';

/** Counts the objects that are read from a cache from now on. */
export const countReads = <T extends KubeObject>(reflector: Reflector<T>): (() => number) => {
  const before = { ...reflector };
  let reads = 0;
  const overrides: Pick<Reflector<T>, 'get' | 'values' | 'byIndex'> = {
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
    byIndex: (index, value) => {
      const found = before.byIndex(index, value);
      reads += found.length;
      return found;
    },
  };
  Object.assign(reflector, overrides);
  return () => reads;
};

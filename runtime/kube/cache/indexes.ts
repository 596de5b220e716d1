import type { ClusterIndex, KubeObject, ObjectKey } from '../types.ts';

/** Index name -> function that returns the values of an object. */
export type Indexers<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

/** The keys of objects by namespace and value. */
export interface Indexes<T> {
  add(object: T, key: ObjectKey): void;
  remove(object: T, key: ObjectKey): void;
  /** A copy. */
  keys(index: string, namespace: string, value: string): readonly ObjectKey[];
  /** A copy. */
  keysInCluster(index: ClusterIndex, value: string): readonly ObjectKey[];
}

/** Most values have one key, and a set would use many times its memory. */
type Held = ObjectKey | Set<ObjectKey>;

function listOf(held: Held | undefined): readonly ObjectKey[] {
  if (held === undefined) return [];
  return typeof held === 'string' ? [held] : [...held];
}

class Index {
  readonly #namespaces = new Map<string, Map<string, Held>>();

  add(namespace: string, value: string, key: ObjectKey): void {
    const known = this.#namespaces.get(namespace);
    const values = known ?? new Map<string, Held>();
    if (!known) this.#namespaces.set(namespace, values);
    const held = values.get(value);
    if (held === undefined || held === key) values.set(value, key);
    else if (typeof held === 'string') values.set(value, new Set([held, key]));
    else held.add(key);
  }

  remove(namespace: string, value: string, key: ObjectKey): void {
    const values = this.#namespaces.get(namespace);
    const held = values?.get(value);
    if (typeof held === 'object') held.delete(key);
    if (held !== key && (typeof held !== 'object' || held.size > 0)) return;
    values?.delete(value);
    if (values?.size === 0) this.#namespaces.delete(namespace);
  }

  keys(namespace: string, value: string): readonly ObjectKey[] {
    return listOf(this.#namespaces.get(namespace)?.get(value));
  }

  keysInCluster(value: string): readonly ObjectKey[] {
    return [...this.#namespaces.values()].flatMap((values) => listOf(values.get(value)));
  }
}

export function createIndexes<T extends KubeObject>(indexers: Indexers<T>): Indexes<T> {
  const indexes = new Map(
    Object.entries(indexers).map(([name, valuesOf]) => [name, { valuesOf, index: new Index() }]),
  );
  function find(name: string): Index {
    const found = indexes.get(name);
    if (!found) throw new TypeError(`no index named ${name}`);
    return found.index;
  }
  return {
    add: (object, key) => {
      const { namespace } = object.metadata;
      for (const { valuesOf, index } of indexes.values())
        for (const value of valuesOf(object)) index.add(namespace, value, key);
    },
    remove: (object, key) => {
      const { namespace } = object.metadata;
      for (const { valuesOf, index } of indexes.values())
        for (const value of valuesOf(object)) index.remove(namespace, value, key);
    },
    keys: (name, namespace, value) => find(name).keys(namespace, value),
    keysInCluster: (name, value) => find(name).keysInCluster(value),
  };
}

import type { Change, KubeObject, ObjectKey } from '../types.ts';
import type { Indexes } from './indexes.ts';
import { createPacker, type Packed } from './packed-objects.ts';

export function isSameVersion(a: KubeObject | undefined, b: KubeObject): boolean {
  return (
    a !== undefined &&
    a.metadata.uid === b.metadata.uid &&
    a.metadata.resourceVersion === b.metadata.resourceVersion
  );
}

/** The objects, those at rest as texts. */
export function createStore<T extends KubeObject>(isAtRest: (object: T) => boolean) {
  const packer = createPacker<T>();
  const kept = new Map<ObjectKey, T | Packed>();
  function read(key: ObjectKey, value: T | Packed): T {
    return typeof value === 'string' ? packer.unpack(key, value) : value;
  }
  return {
    kept,
    read,
    get: (key: ObjectKey): T | undefined => {
      const value = kept.get(key);
      return value === undefined ? undefined : read(key, value);
    },
    toKept: (object: T): T | Packed => (isAtRest(object) ? (packer.pack(object) ?? object) : object),
    *values(): IterableIterator<T> {
      for (const [key, value] of kept) yield read(key, value);
    },
  };
}

export type Store<T extends KubeObject> = ReturnType<typeof createStore<T>>;

/** Changes of the store and its indexes. */
export function createWrites<T extends KubeObject>({ kept, get }: Store<T>, indexes: Indexes<T>) {
  function drop(key: ObjectKey, before: T): Change<T> {
    indexes.remove(before, key);
    kept.delete(key);
    return { kind: 'deleted', key, before };
  }
  function replace(key: ObjectKey, object: T, value: T | Packed): readonly Change<T>[] {
    const held = get(key);
    // A different uid is a different object, so handlers of the old one must see its deletion.
    const gone = held !== undefined && held.metadata.uid !== object.metadata.uid ? [drop(key, held)] : [];
    const before = gone.length > 0 ? undefined : held;
    if (before) indexes.remove(before, key);
    kept.set(key, value);
    indexes.add(object, key);
    return [...gone, { kind: 'set', key, object, before }];
  }
  function put(key: ObjectKey, object: T, value: T | Packed): readonly Change<T>[] {
    return isSameVersion(get(key), object) ? [] : replace(key, object, value);
  }
  return { drop, put, replace };
}

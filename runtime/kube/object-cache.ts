import { type Change, type KubeObject, type ObjectKey, objectKey } from './types.ts';

export type Indexers<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

/** The objects of one kind in memory. Every write returns the changes that it made, in order. */
export interface ObjectCache<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  keys(): IterableIterator<ObjectKey>;
  values(): IterableIterator<T>;
  byIndex(index: string, value: string): readonly T[];
  /** A copy. */
  keysByIndex(index: string, value: string): readonly ObjectKey[];
  set(object: T): readonly Change<T>[];
  delete(object: KubeObject): readonly Change<T>[];
  /** Drops the record of objects that were deleted before this version. No older event will arrive. */
  forgetDeleted(before: string): void;
  /** Replaces the content with exactly these objects. */
  replace(objects: ReadonlyMap<ObjectKey, T>): readonly Change<T>[];
}

/**
 * Compares resourceVersions, which are decimal numbers of any length that only increase. True if `version` is older
 * than `than`; false if either is missing or not a number.
 */
export const isOlderVersion = (version: string | undefined, than: string | undefined): boolean => {
  if (version === undefined || than === undefined) return false;
  if (!/^\d+$/.test(version) || !/^\d+$/.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
};

interface Indexes<T> {
  add(object: T, key: ObjectKey): void;
  remove(object: T, key: ObjectKey): void;
  keys(index: string, value: string): readonly ObjectKey[];
}

const createIndexes = <T>(indexers: Indexers<T>): Indexes<T> => {
  const indexes = new Map(
    Object.entries(indexers).map(([name, valuesOf]) => [
      name,
      { valuesOf, keys: new Map<string, ObjectKey | Set<ObjectKey>>() },
    ]),
  );
  return {
    add: (object, key) => {
      for (const { valuesOf, keys } of indexes.values()) {
        for (const value of valuesOf(object)) {
          const held = keys.get(value);
          // Most values have one key, and a set would use many times its memory.
          if (held === undefined || held === key) keys.set(value, key);
          else if (typeof held === 'string') keys.set(value, new Set([held, key]));
          else held.add(key);
        }
      }
    },
    remove: (object, key) => {
      for (const { valuesOf, keys } of indexes.values()) {
        for (const value of valuesOf(object)) {
          const held = keys.get(value);
          if (typeof held === 'object') held.delete(key);
          if (held === key || (typeof held === 'object' && held.size === 0)) keys.delete(value);
        }
      }
    },
    keys: (index, value) => {
      const found = indexes.get(index);
      if (!found) throw new TypeError(`no index named ${index}`);
      const held = found.keys.get(value) ?? [];
      return typeof held === 'string' ? [held] : [...held];
    },
  };
};

const isSameVersion = (a: KubeObject | undefined, b: KubeObject): boolean =>
  a !== undefined &&
  a.metadata.uid === b.metadata.uid &&
  a.metadata.resourceVersion === b.metadata.resourceVersion;

export const createObjectCache = <T extends KubeObject>(indexers: Indexers<T> = {}): ObjectCache<T> => {
  const objects = new Map<ObjectKey, T>();
  const indexes = createIndexes(indexers);
  /** Key -> version of its deletion, so that a repeated event does not restore a deleted object. */
  const deleted = new Map<ObjectKey, string>();

  const drop = (key: ObjectKey, before: T): Change<T> => {
    indexes.remove(before, key);
    objects.delete(key);
    return { kind: 'deleted', key, before };
  };
  const put = (object: T): readonly Change<T>[] => {
    const key = objectKey(object);
    const held = objects.get(key);
    if (isSameVersion(held, object)) return [];
    // A different uid is a different object, so handlers of the old one must see its deletion.
    const gone = held !== undefined && held.metadata.uid !== object.metadata.uid ? [drop(key, held)] : [];
    const before = objects.get(key);
    if (before) indexes.remove(before, key);
    objects.set(key, object);
    indexes.add(object, key);
    return [...gone, { kind: 'set', key, object, before }];
  };
  /** A late or repeated event must not revert the cache. */
  const isLate = ({ metadata }: KubeObject, key: ObjectKey): boolean =>
    isOlderVersion(metadata.resourceVersion, objects.get(key)?.metadata.resourceVersion) ||
    isOlderVersion(metadata.resourceVersion, deleted.get(key));

  return {
    get: (key) => objects.get(key),
    keys: () => objects.keys(),
    values: () => objects.values(),
    byIndex: (index, value) => indexes.keys(index, value).flatMap((key) => objects.get(key) ?? []),
    keysByIndex: (index, value) => indexes.keys(index, value),
    set: (object) => (isLate(object, objectKey(object)) ? [] : put(object)),
    delete: (object) => {
      const key = objectKey(object);
      if (isLate(object, key)) return [];
      const held = objects.get(key);
      const { resourceVersion } = object.metadata;
      if (resourceVersion !== undefined) deleted.set(key, resourceVersion);
      return held === undefined ? [] : [drop(key, held)];
    },
    forgetDeleted: (before) => {
      for (const [key, version] of deleted) if (isOlderVersion(version, before)) deleted.delete(key);
    },
    replace: (next) => {
      deleted.clear();
      const gone = [...objects].filter(([key]) => !next.has(key)).map(([key, before]) => drop(key, before));
      return [...gone, ...[...next.values()].flatMap(put)];
    },
  };
};

import { createPacker, type Packed } from './packed-objects.ts';
import { type Change, type KubeObject, type ObjectKey, objectKey } from './types.ts';

export type Indexers<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

export interface ObjectCacheOptions<T> {
  /** Index name -> function that returns the values for `byIndex`. */
  readonly indexes?: Indexers<T>;
  /**
   * True for an object that is rarely read: the cache keeps it as a text, of which every read makes a new object (3 to 4 µs).
   * Default: none.
   */
  readonly isAtRest?: (object: T) => boolean;
}

/** A complete list that is being received. The cache keeps its previous content until `publish`. */
export interface IncomingList<T extends KubeObject> {
  /** True if the cache has this object in this version. */
  isKnown(object: KubeObject): boolean;
  /** Adds what the cache has of this object, if anything. */
  addKnown(object: KubeObject): void;
  add(object: T): void;
  remove(object: KubeObject): void;
  /** Replaces the content of the cache with exactly these objects, one after another, and reports each change when it is made. */
  publish(report: (change: Change<T>) => void): void;
}

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
  receiveList(): IncomingList<T>;
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

/** The objects, those at rest as texts. */
const createStore = <T extends KubeObject>(isAtRest: (object: T) => boolean) => {
  const packer = createPacker<T>();
  const kept = new Map<ObjectKey, T | Packed>();
  const read = (key: ObjectKey, value: T | Packed): T =>
    typeof value === 'string' ? packer.unpack(key, value) : value;
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
};
type Store<T extends KubeObject> = ReturnType<typeof createStore<T>>;

const createWrites = <T extends KubeObject>({ kept, get }: Store<T>, indexes: Indexes<T>) => {
  const drop = (key: ObjectKey, before: T): Change<T> => {
    indexes.remove(before, key);
    kept.delete(key);
    return { kind: 'deleted', key, before };
  };
  const put = (key: ObjectKey, object: T, value: T | Packed): readonly Change<T>[] => {
    const held = get(key);
    if (isSameVersion(held, object)) return [];
    // A different uid is a different object, so handlers of the old one must see its deletion.
    const gone = held !== undefined && held.metadata.uid !== object.metadata.uid ? [drop(key, held)] : [];
    const before = gone.length > 0 ? undefined : held;
    if (before) indexes.remove(before, key);
    kept.set(key, value);
    indexes.add(object, key);
    return [...gone, { kind: 'set', key, object, before }];
  };
  return { drop, put };
};

const createIncomingList = <T extends KubeObject>(
  { kept, get, read, toKept }: Store<T>,
  { drop, put }: ReturnType<typeof createWrites<T>>,
): IncomingList<T> => {
  const next = new Map<ObjectKey, T | Packed>();
  return {
    isKnown: (object) => isSameVersion(get(objectKey(object)), object),
    addKnown: (object) => {
      const value = kept.get(objectKey(object));
      if (value !== undefined) next.set(objectKey(object), value);
    },
    add: (object) => {
      next.set(objectKey(object), toKept(object));
    },
    remove: (object) => {
      next.delete(objectKey(object));
    },
    publish: (report) => {
      for (const [key, value] of kept) if (!next.has(key)) report(drop(key, read(key, value)));
      for (const [key, value] of next)
        if (kept.get(key) !== value) for (const change of put(key, read(key, value), value)) report(change);
    },
  };
};

export const createObjectCache = <T extends KubeObject>(
  options: ObjectCacheOptions<T> = {},
): ObjectCache<T> => {
  const { isAtRest = () => false } = options;
  const store = createStore(isAtRest);
  const indexes = createIndexes(options.indexes ?? {});
  const writes = createWrites(store, indexes);
  /** Key -> version of its deletion, so that a repeated event does not restore a deleted object. */
  const deleted = new Map<ObjectKey, string>();
  /** A late or repeated event must not revert the cache. */
  const isLate = ({ metadata }: KubeObject, key: ObjectKey): boolean =>
    isOlderVersion(metadata.resourceVersion, store.get(key)?.metadata.resourceVersion) ||
    isOlderVersion(metadata.resourceVersion, deleted.get(key));

  return {
    get: store.get,
    keys: () => store.kept.keys(),
    values: () => store.values(),
    byIndex: (index, value) => indexes.keys(index, value).flatMap((key) => store.get(key) ?? []),
    keysByIndex: (index, value) => indexes.keys(index, value),
    set: (object) => {
      const key = objectKey(object);
      return isLate(object, key) ? [] : writes.put(key, object, store.toKept(object));
    },
    delete: (object) => {
      const key = objectKey(object);
      if (isLate(object, key)) return [];
      const held = store.get(key);
      const { resourceVersion } = object.metadata;
      if (resourceVersion !== undefined) deleted.set(key, resourceVersion);
      return held === undefined ? [] : [writes.drop(key, held)];
    },
    forgetDeleted: (before) => {
      for (const [key, version] of deleted) if (isOlderVersion(version, before)) deleted.delete(key);
    },
    receiveList: () => {
      const list = createIncomingList(store, writes);
      return {
        ...list,
        publish: (report) => {
          deleted.clear();
          list.publish(report);
        },
      };
    },
  };
};

import { createIndexes, type Indexers, type Indexes } from './indexes.ts';
import { createPacker, type Packed } from './packed-objects.ts';
import { type Change, type KubeObject, type ObjectKey, objectKey, type Reflector } from './types.ts';

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

type CacheReads<T extends KubeObject> = Pick<
  Reflector<T>,
  'get' | 'keys' | 'values' | 'byIndex' | 'keysByIndex' | 'byClusterIndex' | 'keysByClusterIndex'
>;

/** The objects of one kind in memory. Every write returns the changes that it made, in order. */
export interface ObjectCache<T extends KubeObject> extends CacheReads<T> {
  set(object: T): readonly Change<T>[];
  delete(object: KubeObject): readonly Change<T>[];
  /** Drops what the cache has under the name of an object that it does not keep. */
  leaveOut(object: KubeObject): readonly Change<T>[];
  /** Drops the record of objects that were deleted before this version. No older event will arrive. */
  forgetDeleted(before: string): void;
  /** `trustsVersions`: an object with the uid and version that the cache has is the same object. */
  receiveList(options?: { readonly trustsVersions: boolean }): IncomingList<T>;
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
  const replace = (key: ObjectKey, object: T, value: T | Packed): readonly Change<T>[] => {
    const held = get(key);
    // A different uid is a different object, so handlers of the old one must see its deletion.
    const gone = held !== undefined && held.metadata.uid !== object.metadata.uid ? [drop(key, held)] : [];
    const before = gone.length > 0 ? undefined : held;
    if (before) indexes.remove(before, key);
    kept.set(key, value);
    indexes.add(object, key);
    return [...gone, { kind: 'set', key, object, before }];
  };
  const put = (key: ObjectKey, object: T, value: T | Packed): readonly Change<T>[] =>
    isSameVersion(get(key), object) ? [] : replace(key, object, value);
  return { drop, put, replace };
};

const createIncomingList = <T extends KubeObject>(
  { kept, get, read, toKept }: Store<T>,
  { drop, put, replace }: ReturnType<typeof createWrites<T>>,
  trustsVersions: boolean,
): IncomingList<T> => {
  const write = trustsVersions ? put : replace;
  const next = new Map<ObjectKey, T | Packed>();
  return {
    isKnown: (object) => trustsVersions && isSameVersion(get(objectKey(object)), object),
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
        if (kept.get(key) !== value) for (const change of write(key, read(key, value), value)) report(change);
    },
  };
};

const readsOf = <T extends KubeObject>(store: Store<T>, indexes: Indexes<T>): CacheReads<T> => {
  const all = (keys: readonly ObjectKey[]): readonly T[] => keys.flatMap((key) => store.get(key) ?? []);
  return {
    get: store.get,
    keys: () => store.kept.keys(),
    values: () => store.values(),
    byIndex: (index, namespace, value) => all(indexes.keys(index, namespace, value)),
    keysByIndex: (index, namespace, value) => indexes.keys(index, namespace, value),
    byClusterIndex: (index, value) => all(indexes.keysInCluster(index, value)),
    keysByClusterIndex: (index, value) => indexes.keysInCluster(index, value),
  };
};

/** Which events are late: a late or repeated event must not revert the cache. */
const createDeletions = <T extends KubeObject>({ get }: Pick<Store<T>, 'get'>) => {
  /** Key -> version of its deletion, so that a repeated event does not restore a deleted object. */
  const deleted = new Map<ObjectKey, string>();
  return {
    isLate: ({ metadata }: KubeObject, key: ObjectKey): boolean =>
      isOlderVersion(metadata.resourceVersion, get(key)?.metadata.resourceVersion) ||
      isOlderVersion(metadata.resourceVersion, deleted.get(key)),
    add: ({ metadata }: KubeObject, key: ObjectKey): void => {
      if (metadata.resourceVersion !== undefined) deleted.set(key, metadata.resourceVersion);
    },
    forget: (before: string): void => {
      for (const [key, version] of deleted) if (isOlderVersion(version, before)) deleted.delete(key);
    },
    clear: (): void => deleted.clear(),
  };
};

export const createObjectCache = <T extends KubeObject>(
  options: ObjectCacheOptions<T> = {},
): ObjectCache<T> => {
  const { isAtRest = () => false } = options;
  const store = createStore(isAtRest);
  const indexes = createIndexes(options.indexes ?? {});
  const writes = createWrites(store, indexes);
  const deletions = createDeletions(store);
  const leaveOut = (object: KubeObject): readonly Change<T>[] => {
    const key = objectKey(object);
    const held = deletions.isLate(object, key) ? undefined : store.get(key);
    return held === undefined ? [] : [writes.drop(key, held)];
  };
  return {
    ...readsOf(store, indexes),
    set: (object) => {
      const key = objectKey(object);
      return deletions.isLate(object, key) ? [] : writes.put(key, object, store.toKept(object));
    },
    delete: (object) => {
      const changes = leaveOut(object);
      if (!deletions.isLate(object, objectKey(object))) deletions.add(object, objectKey(object));
      return changes;
    },
    leaveOut,
    forgetDeleted: deletions.forget,
    receiveList: ({ trustsVersions } = { trustsVersions: true }) => {
      const list = createIncomingList(store, writes, trustsVersions);
      return {
        ...list,
        publish: (report) => {
          deletions.clear();
          list.publish(report);
        },
      };
    },
  };
};

import {
  type Change,
  type KubeObject,
  namespaceOf,
  type ObjectKey,
  objectKey,
  type Reflector,
} from '../types.ts';
import { type AdmissionOptions, CacheAdmission } from './cache-admission.ts';
import { createIndexes, type Indexers, type Indexes } from './indexes.ts';
import { createStore, createWrites, isSameVersion, type Store } from './object-store.ts';
import type { Packed } from './packed-objects.ts';

export interface ObjectCacheOptions<T> extends AdmissionOptions<T> {
  /** Index name -> function that returns the values for `byIndex`. */
  readonly indexes?: Indexers<T>;
  /**
   * True for an object that is rarely read: the cache keeps it as a text, of which every read makes a new object (3 to 4 µs).
   * Default: none.
   */
  readonly isAtRest?: (object: T) => boolean;
  /** Called for each object of which the cache keeps only the identity, when it is new, changed or gone. */
  readonly onIdentity?: (key: ObjectKey) => void;
  /** Called when something of a namespace is left out for the first time, or nothing is any more. */
  readonly onLeftOut?: (namespace: string) => void;
  /** Called when more of a namespace can be kept than the cache has. May be called again. */
  readonly onRoom?: (namespace: string) => void;
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
export interface ObjectCache<T extends KubeObject>
  extends CacheReads<T>,
    Pick<Reflector<T>, 'identity' | 'identityKeys' | 'leftOut' | 'isIncomplete'> {
  set(object: T): readonly Change<T>[];
  delete(object: KubeObject): readonly Change<T>[];
  /** Drops what the cache has under the name of an object that it does not keep. */
  leaveOut(object: KubeObject): readonly Change<T>[];
  /** True if something is left out of the namespace although there is room, or if its objects can be kept whole now. */
  hasRoom(namespace: string): boolean;
  /** The objects of the namespace are received again: only those that do not fit then count as left out. */
  forgetLeftOut(namespace: string): void;
  /** Drops the record of objects that were deleted before this version. Nothing older will arrive. */
  forgetDeleted(before: string): void;
  /** `trustsVersions`: an object with the uid and version that the cache has is the same object. */
  receiveList(options?: { readonly trustsVersions: boolean }): IncomingList<T>;
}

/**
 * Compares resourceVersions, which are decimal numbers of any length that only increase. True if `version` is older
 * than `than`; false if either is missing or not a number.
 */
export function isOlderVersion(version: string | undefined, than: string | undefined): boolean {
  if (version === undefined || than === undefined) return false;
  if (!/^\d+$/.test(version) || !/^\d+$/.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}

interface Content<T extends KubeObject> {
  readonly store: Store<T>;
  readonly writes: ReturnType<typeof createWrites<T>>;
  readonly options: ObjectCacheOptions<T>;
  /** Of what the store has. A new list has its own. */
  admission: CacheAdmission<T>;
}

/** Calls back for the differences between the content of before and a list that was published. */
function noteList<T extends KubeObject>({ admission, options }: Content<T>, before: CacheAdmission<T>): void {
  for (const key of new Set([...before.identities.keys(), ...admission.identities.keys()]))
    options.onIdentity?.(key);
  for (const namespace of new Set([...before.partial(), ...admission.partial()])) {
    if (before.isIncomplete(namespace) !== admission.isIncomplete(namespace)) options.onLeftOut?.(namespace);
    if (admission.hasRoom(namespace)) options.onRoom?.(namespace);
  }
}

function createIncomingList<T extends KubeObject>(
  content: Content<T>,
  trustsVersions: boolean,
): IncomingList<T> {
  const { options } = content;
  const { kept, get, read, toKept } = content.store;
  const { drop, put, replace } = content.writes;
  const write = trustsVersions ? put : replace;
  const next = new Map<ObjectKey, T | Packed>();
  const admission = new CacheAdmission<T>(options);
  function remove(key: ObjectKey): void {
    admission.remove(key, next.get(key));
    next.delete(key);
  }
  function add(key: ObjectKey, object: T | undefined, value: T | Packed): void {
    remove(key);
    if (admission.add(key, { object, held: value }) === 'whole') next.set(key, value);
  }
  return {
    isKnown: (object) => trustsVersions && isSameVersion(get(objectKey(object)), object),
    addKnown: (object) => {
      const key = objectKey(object);
      const value = kept.get(key);
      if (value !== undefined) add(key, typeof value === 'string' ? undefined : value, value);
    },
    add: (object) => add(objectKey(object), object, toKept(object)),
    remove: (object) => remove(objectKey(object)),
    publish: (report) => {
      const before = content.admission;
      content.admission = admission;
      for (const [key, value] of kept) if (!next.has(key)) report(drop(key, read(key, value)));
      for (const [key, value] of next)
        if (kept.get(key) !== value) for (const change of write(key, read(key, value), value)) report(change);
      noteList(content, before);
    },
  };
}

function readsOf<T extends KubeObject>(store: Store<T>, indexes: Indexes<T>): CacheReads<T> {
  function all(keys: readonly ObjectKey[]): readonly T[] {
    return keys.flatMap((key) => store.get(key) ?? []);
  }
  return {
    get: store.get,
    keys: () => store.kept.keys(),
    values: () => store.values(),
    byIndex: (index, namespace, value) => all(indexes.keys(index, namespace, value)),
    keysByIndex: (index, namespace, value) => indexes.keys(index, namespace, value),
    byClusterIndex: (index, value) => all(indexes.keysInCluster(index, value)),
    keysByClusterIndex: (index, value) => indexes.keysInCluster(index, value),
  };
}

/** Which objects are late: an event, or an object that was read, must not revert the cache. */
function createDeletions<T extends KubeObject>(content: Content<T>) {
  /** Key -> version of its deletion, so that a read that began before does not restore a deleted object. */
  const deleted = new Map<ObjectKey, string>();
  function versionsOf(key: ObjectKey): readonly (string | undefined)[] {
    return [
      content.store.get(key)?.metadata.resourceVersion,
      content.admission.identities.get(key)?.metadata.resourceVersion,
      deleted.get(key),
    ];
  }
  return {
    isLate: ({ metadata }: KubeObject, key: ObjectKey): boolean =>
      versionsOf(key).some((version) => isOlderVersion(metadata.resourceVersion, version)),
    add: ({ metadata }: KubeObject, key: ObjectKey): void => {
      if (metadata.resourceVersion !== undefined) deleted.set(key, metadata.resourceVersion);
    },
    forget: (before: string): void => {
      for (const [key, version] of deleted) if (isOlderVersion(version, before)) deleted.delete(key);
    },
    clear: (): void => deleted.clear(),
  };
}

/** Calls back for what a change of one object means for its identity, and for what is left out of its namespace. */
function noting<T extends KubeObject, R>(
  { admission, options }: Content<T>,
  key: ObjectKey,
  change: () => R,
): R {
  const namespace = namespaceOf(key);
  const [wasIncomplete, hadIdentity] = [admission.isIncomplete(namespace), admission.identities.has(key)];
  const result = change();
  if (hadIdentity || admission.identities.has(key)) options.onIdentity?.(key);
  if (admission.isIncomplete(namespace) !== wasIncomplete) options.onLeftOut?.(namespace);
  if (admission.hasRoom(namespace)) options.onRoom?.(namespace);
  return result;
}

function changesOf<T extends KubeObject>(content: Content<T>) {
  const { store, writes } = content;
  function drop(key: ObjectKey): readonly Change<T>[] {
    const held = store.get(key);
    return held === undefined ? [] : [writes.drop(key, held)];
  }
  function place(key: ObjectKey, object: T): readonly Change<T>[] {
    const value = store.toKept(object);
    const before = store.kept.get(key);
    content.admission.remove(key, before);
    const outcome = content.admission.add(key, { object, held: value, hadPlace: before !== undefined });
    return outcome === 'whole' ? writes.put(key, object, value) : drop(key);
  }
  return {
    set: (key: ObjectKey, object: T) => noting(content, key, () => place(key, object)),
    drop: (key: ObjectKey) =>
      noting(content, key, () => {
        content.admission.remove(key, store.kept.get(key));
        return drop(key);
      }),
  };
}

export function createObjectCache<T extends KubeObject>(options: ObjectCacheOptions<T> = {}): ObjectCache<T> {
  const { isAtRest = () => false } = options;
  const store = createStore(isAtRest);
  const indexes = createIndexes(options.indexes ?? {});
  const writes = createWrites(store, indexes);
  const content: Content<T> = { store, writes, options, admission: new CacheAdmission<T>(options) };
  const deletions = createDeletions(content);
  const changes = changesOf(content);
  function leaveOut(object: KubeObject): readonly Change<T>[] {
    const key = objectKey(object);
    return deletions.isLate(object, key) ? [] : changes.drop(key);
  }
  return {
    ...readsOf(store, indexes),
    identity: (key) => content.admission.identities.get(key),
    identityKeys: () => content.admission.identities.keys(),
    hasRoom: (namespace) => content.admission.hasRoom(namespace),
    leftOut: () => content.admission.leftOut,
    isIncomplete: (namespace) => content.admission.isIncomplete(namespace),
    set: (object) => {
      const key = objectKey(object);
      return deletions.isLate(object, key) ? [] : changes.set(key, object);
    },
    delete: (object) => {
      const removed = leaveOut(object);
      if (!deletions.isLate(object, objectKey(object))) deletions.add(object, objectKey(object));
      return removed;
    },
    leaveOut,
    forgetLeftOut: (namespace) => content.admission.forgetLeftOut(namespace),
    forgetDeleted: deletions.forget,
    receiveList: ({ trustsVersions } = { trustsVersions: true }) => {
      const list = createIncomingList(content, trustsVersions);
      return {
        ...list,
        publish: (report) => {
          deletions.clear();
          list.publish(report);
        },
      };
    },
  };
}

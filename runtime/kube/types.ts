import type { ObjectMeta } from '#crds/object-meta.ts';

/** The fields of every Kubernetes object that this project relies on. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** A kind as the API server serves it, with the validator for its objects. */
export interface ResourceDefinition<T extends KubeObject> {
  /** `v1`, `batch/v1`, `zipjobs.dev/v1alpha1`. */
  readonly apiVersion: string;
  readonly plural: string;
  readonly kind: string;
  /** Default: Namespaced. Cluster-scoped objects are addressed with the namespace `''`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Throws if the value is not an object of this kind. */
  readonly decode: (value: unknown) => T;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  readonly subresource?: 'status';
  /** Takes over fields of other managers. Default true, because the managers' fields are disjoint. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

export interface DeleteOptions {
  /** Deletes only the object with this uid. Another object with the same name stays. */
  readonly uid?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface ListOptions {
  /** Default: every namespace. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** A longer list fails with code TooLarge. Default: no limit. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/**
 * Reads and writes objects of one kind. Every failure is a KubeError (code, retryable, HTTP status, retryAfterMs), and
 * every call has a time limit.
 */
export interface ObjectClient<T extends KubeObject> {
  /** Undefined if it does not exist. */
  get(namespace: string, name: string, signal?: AbortSignal): Promise<T | undefined>;
  list(options?: ListOptions): Promise<readonly T[]>;
  /** Undefined if an object of that name exists. */
  create(
    object: T,
    options?: { readonly fieldManager?: string; readonly signal?: AbortSignal },
  ): Promise<T | undefined>;
  /** Server-side apply: creates the object or sets the given fields. Removes fields that we own and omit. */
  apply(object: KubeObject & Readonly<Record<string, unknown>>, options: ApplyOptions): Promise<T>;
  /** JSON merge patch. With metadata.resourceVersion, it fails with code Conflict if the object has changed. */
  mergePatch(
    target: { readonly namespace: string; readonly name: string; readonly subresource?: 'status' },
    patch: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Replaces (PUT) the whole object. With metadata.resourceVersion, it fails with code Conflict if the object has changed. */
  replace(
    object: T,
    options?: {
      readonly subresource?: 'status';
      readonly fieldManager?: string;
      readonly signal?: AbortSignal;
    },
  ): Promise<T>;
  /** False if it does not exist (or has another uid). */
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<boolean>;
}

/** `namespace/name`. */
export type ObjectKey = string;

export function objectKey(object: KubeObject): ObjectKey {
  // A template would be a rope, which keeps its parts for as long as the key.
  return [object.metadata.namespace, object.metadata.name].join('/');
}

export function namespaceOf(key: ObjectKey): string {
  return key.slice(0, key.indexOf('/'));
}

declare const clusterWide: unique symbol;
/**
 * Name of an index that is read for all namespaces at once. Any other index is read for one namespace: users of a namespace can write
 * any uid of an owner into their objects, so such a value says nothing without the namespace of the object.
 */
export type ClusterIndex = string & { readonly [clusterWide]: true };

export function clusterIndex(name: string): ClusterIndex {
  return name as ClusterIndex;
}

export type Change<T> =
  | { readonly kind: 'set'; readonly key: ObjectKey; readonly object: T; readonly before: T | undefined }
  | { readonly kind: 'deleted'; readonly key: ObjectKey; readonly before: T };

/**
 * A cache of one kind that list and watch keep up to date. No change is lost: after a gap, the differences between the
 * lists are reported as changes.
 */
export interface Reflector<T extends KubeObject> {
  /** Runs until the signal aborts. Never throws if the API server fails; retries with backoff. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the first list is cached. */
  synced(signal?: AbortSignal): Promise<void>;
  readonly hasSynced: boolean;
  /** True from a failure until the API server accepts the next watch: the cache may lack what is new. */
  readonly isInterrupted: boolean;
  get(key: ObjectKey): T | undefined;
  /** The strings of the cache itself, which cost no memory where they are kept. */
  keys(): IterableIterator<ObjectKey>;
  values(): IterableIterator<T>;
  /** Objects of the namespace for which the index function of this name returns the value. */
  byIndex(index: string, namespace: string, value: string): readonly T[];
  /** The keys of the objects that `byIndex` returns. */
  keysByIndex(index: string, namespace: string, value: string): readonly ObjectKey[];
  /** The same for every namespace. */
  byClusterIndex(index: ClusterIndex, value: string): readonly T[];
  keysByClusterIndex(index: ClusterIndex, value: string): readonly ObjectKey[];
  /** What the cache keeps of an object of which it keeps only the name, uid, version, finalizers and deletion. */
  identity(key: ObjectKey): KubeObject | undefined;
  identityKeys(): IterableIterator<ObjectKey>;
  /** Objects that do not fit into the limits of their namespaces; at most a thousand of each namespace are counted. */
  leftOut(): number;
  /** True if something is left out of the namespace. */
  isIncomplete(namespace: string): boolean;
  /** Receives the objects of a namespace again if more of them may be kept now, at most every 30 s. */
  refill(namespace: string): void;
  /** Milliseconds (monotonic clock) since the API server last sent data; 0 before the first list. */
  silenceMs(): number;
}

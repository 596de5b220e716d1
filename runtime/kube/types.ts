import type { ObjectMeta } from '#crds/object-meta.ts';

/** The least that every Kubernetes object has. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** One kind of object as the API server serves it, and the one validator that its objects pass on their way in. */
export interface ResourceDefinition<T extends KubeObject> {
  /** `v1`, `batch/v1`, `zipjobs.dev/v1alpha1`. */
  readonly apiVersion: string;
  readonly plural: string;
  readonly kind: string;
  /** Default Namespaced. Objects without a namespace are addressed with the namespace `''`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Throws when the value is not such an object. */
  readonly decode: (value: unknown) => T;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  readonly subresource?: 'status';
  /** Take over fields that another manager owns. Default true: each manager's fields are disjoint by design. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

export interface DeleteOptions {
  /** Deletes only the object with this uid; another one of the name stays. */
  readonly uid?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface ListOptions {
  /** Every namespace when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal;
}

/**
 * Reads and writes objects of one kind. Every failure is a KubeError (code, retryable, HTTP status, retryAfterMs);
 * every call has a time limit.
 */
export interface ObjectClient<T extends KubeObject> {
  /** Undefined when there is none. */
  get(namespace: string, name: string, signal?: AbortSignal): Promise<T | undefined>;
  list(options?: ListOptions): Promise<readonly T[]>;
  /** Undefined when an object of that name exists already. */
  create(
    object: T,
    options?: { readonly fieldManager?: string; readonly signal?: AbortSignal },
  ): Promise<T | undefined>;
  /** Server-side apply: creates the object or sets the fields given; owned fields that are left out are removed. */
  apply(object: KubeObject & Readonly<Record<string, unknown>>, options: ApplyOptions): Promise<T>;
  /** JSON merge patch. With metadata.resourceVersion in it, fails with code Conflict when the object changed. */
  mergePatch(
    target: { readonly namespace: string; readonly name: string; readonly subresource?: 'status' },
    patch: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Update (PUT) of the whole object; with metadata.resourceVersion in it, fails with code Conflict when the object changed. */
  replace(
    object: T,
    options?: {
      readonly subresource?: 'status';
      readonly fieldManager?: string;
      readonly signal?: AbortSignal;
    },
  ): Promise<T>;
  /** False when there was none (or none with that uid). */
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<boolean>;
}

/** `namespace/name`. */
export type ObjectKey = string;
export const objectKey = (object: KubeObject): ObjectKey =>
  `${object.metadata.namespace}/${object.metadata.name}`;

export const namespaceOf = (key: ObjectKey): string => key.slice(0, key.indexOf('/'));

export type Change<T> =
  | { readonly kind: 'set'; readonly key: ObjectKey; readonly object: T; readonly before: T | undefined }
  | { readonly kind: 'deleted'; readonly key: ObjectKey; readonly before: T };

/**
 * A cache of one kind, kept by list and watch. Nothing is missed for good: after a gap the difference between the
 * lists is told as changes.
 */
export interface Reflector<T extends KubeObject> {
  /** Runs until the signal aborts; never throws for a failing API server, it tries again with backoff. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the first list is in the cache. */
  synced(signal?: AbortSignal): Promise<void>;
  readonly hasSynced: boolean;
  get(key: ObjectKey): T | undefined;
  values(): IterableIterator<T>;
  /** Objects whose index function (given at creation under that name) yields the value. */
  byIndex(index: string, value: string): readonly T[];
  /** Milliseconds (monotonic clock) since bytes last came from the API server; 0 before the first list. */
  silenceMs(): number;
}

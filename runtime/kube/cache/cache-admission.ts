import { type KubeObject, namespaceOf, type ObjectKey } from '../types.ts';
import { heapBytesOf, KEPT_LIMITS, type KeptLimits, NamespaceUse } from './cache-limits.ts';
import type { Packed } from './packed-objects.ts';

export interface AdmissionOptions<T> {
  /** What the cache may keep of a namespace. Default: KEPT_LIMITS. */
  readonly limitsOf?: (namespace: string) => KeptLimits;
  /** True for an object that is kept in any case, because the number of such objects has another limit. Default: none. */
  readonly isExempt?: (object: T) => boolean;
  /** True for a namespace of whose objects the cache keeps only the identities, except of those that are exempt or at rest. Default: none. */
  readonly keepsIdentities?: (namespace: string) => boolean;
}

/** What the cache has of an object. */
type Held<T> = T | Packed;

interface Added<T> {
  /** Undefined for an object at rest that the cache has already. */
  readonly object: T | undefined;
  readonly held: Held<T>;
  /** True if the cache had it whole: only its bytes count then. */
  readonly hadPlace?: boolean;
}

const sizes = new WeakMap<object, number>();

/** An object of a cache never changes, so its size is found out once. */
function sizeOf(held: object | string): number {
  if (typeof held === 'string') return heapBytesOf(held);
  const known = sizes.get(held);
  if (known !== undefined) return known;
  const bytes = heapBytesOf(JSON.stringify(held));
  sizes.set(held, bytes);
  return bytes;
}

/** All that a deletion needs, and by which the object is recognized. */
function toIdentity({ metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers } = metadata;
  return {
    metadata: {
      name,
      namespace,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(finalizers !== undefined && { finalizers }),
    },
  };
}

/** Decides what the cache keeps of each object, so that the objects of one namespace never fill the memory of a process. */
export class CacheAdmission<T extends KubeObject> {
  readonly identities = new Map<ObjectKey, KubeObject>();
  readonly #options: AdmissionOptions<T>;
  readonly #whole = new NamespaceUse();
  readonly #identified = new NamespaceUse();

  constructor(options: AdmissionOptions<T>) {
    this.#options = options;
  }

  /** How many objects are left out of all namespaces; at most a thousand of each are counted. */
  get leftOut(): number {
    return this.#whole.leftOut + this.#identified.leftOut;
  }

  /** `whole`: the caller keeps `held`. `identity`: it is in `identities`. */
  add(key: ObjectKey, added: Added<T>): 'whole' | 'identity' | 'nothing' {
    const { object, held } = added;
    const exempt = object !== undefined && this.#options.isExempt?.(object) === true;
    const isAtRest = typeof held === 'string';
    if (object && !exempt && !isAtRest && this.#keepsIdentities(namespaceOf(key)))
      return this.#addIdentity(key, object);
    const limits = exempt ? 'exempt' : this.#limitsFor(key, added);
    return this.#whole.add(key, sizeOf(held), limits) ? 'whole' : 'nothing';
  }

  /** `held`: what the cache has of the object; undefined if it has nothing, or only the identity. */
  remove(key: ObjectKey, held: Held<T> | undefined): void {
    if (held === undefined) this.#whole.forget(key);
    else this.#whole.remove(key, sizeOf(held));
    const identity = this.identities.get(key);
    this.identities.delete(key);
    if (identity) this.#identified.remove(key, sizeOf(identity));
    else this.#identified.forget(key);
  }

  /** The objects of the namespace are received again. */
  forgetLeftOut(namespace: string): void {
    for (const use of [this.#whole, this.#identified]) use.forgetLeftOut(namespace);
  }

  /** True if something is left out of the namespace. */
  isIncomplete(namespace: string): boolean {
    return this.#whole.isIncomplete(namespace) || this.#identified.isIncomplete(namespace);
  }

  /** The namespaces of which something is left out, or only its identity kept. */
  partial(): readonly string[] {
    return [...this.#whole.incomplete(), ...this.#identified.namespaces()];
  }

  /** True if something is left out of the namespace although there is room, or if its objects can be kept whole now. */
  hasRoom(namespace: string): boolean {
    return (
      (this.#identified.objectsIn(namespace) > 0 && !this.#keepsIdentities(namespace)) ||
      this.#whole.hasRoom(namespace, this.#limitsOf(namespace)) ||
      this.#identified.hasRoom(namespace, KEPT_LIMITS)
    );
  }

  #addIdentity(key: ObjectKey, object: T): 'identity' | 'nothing' {
    const identity = toIdentity(object);
    if (!this.#identified.add(key, sizeOf(identity), KEPT_LIMITS)) return 'nothing';
    this.identities.set(key, identity);
    return 'identity';
  }

  #keepsIdentities(namespace: string): boolean {
    return this.#options.keepsIdentities?.(namespace) === true;
  }

  #limitsFor(key: ObjectKey, { hadPlace = false }: Added<T>): KeptLimits {
    const limits = this.#limitsOf(namespaceOf(key));
    return hadPlace ? { ...limits, objects: Infinity } : limits;
  }

  #limitsOf(namespace: string): KeptLimits {
    return this.#options.limitsOf?.(namespace) ?? KEPT_LIMITS;
  }
}

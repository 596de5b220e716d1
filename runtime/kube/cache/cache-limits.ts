import { namespaceOf, type ObjectKey } from '../types.ts';

/** What a cache may keep of one namespace. */
export interface KeptLimits {
  readonly objects: number;
  /** Bytes of their JSON, or of its text in memory if that is more. */
  readonly bytes: number;
}

/**
 * Of each namespace and kind that has no limits of its own. Anyone who may write in a namespace decides how many objects it has and how
 * large they are, up to 1.5 MiB each, and every process keeps those of all namespaces.
 */
export const KEPT_LIMITS: KeptLimits = { objects: 2_000, bytes: 8 * 1_024 * 1_024 };

/** Names of left out objects that are remembered of each namespace; further ones are not counted. */
const MOST_NAMES = 1_000;
/** A namespace has room for what was left out below this part of its limits. */
const ROOM_SHARE = 0.9;

/** Bytes that V8 uses for a text: with one character beyond Latin-1, two for each. */
export function heapBytesOf(text: string): number {
  return /[\u0100-\uffff]/.test(text) ? 2 * text.length : text.length;
}

interface Use {
  objects: number;
  bytes: number;
  /** Keys of objects that do not fit. */
  readonly leftOut: Set<ObjectKey>;
}

/** Counts what a cache keeps of each namespace, and remembers what does not fit. */
export class NamespaceUse {
  readonly #uses = new Map<string, Use>();
  #leftOut = 0;

  /** How many objects are left out of all namespaces; at most a thousand of each are counted. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Counts an object if it fits into the limits, or if it is `exempt` from them. Otherwise it is left out. */
  add(key: ObjectKey, bytes: number, limits: KeptLimits | 'exempt'): boolean {
    const use = this.#of(key);
    const fits = limits === 'exempt' || (use.objects < limits.objects && use.bytes + bytes <= limits.bytes);
    if (fits) {
      use.objects += 1;
      use.bytes += bytes;
      this.#forget(key, use);
    } else if (use.leftOut.size < MOST_NAMES && !use.leftOut.has(key)) {
      use.leftOut.add(key);
      this.#leftOut += 1;
    }
    return fits;
  }

  remove(key: ObjectKey, bytes: number): void {
    const use = this.#of(key);
    use.objects -= 1;
    use.bytes -= bytes;
    this.#dropEmpty(key, use);
  }

  /** Call this for an object that was left out, and does not exist any more or is about to be added again. */
  forget(key: ObjectKey): void {
    const use = this.#uses.get(namespaceOf(key));
    if (!use) return;
    this.#forget(key, use);
    this.#dropEmpty(key, use);
  }

  forgetLeftOut(namespace: string): void {
    const use = this.#uses.get(namespace);
    if (use) for (const key of use.leftOut) this.#forget(key, use);
  }

  objectsIn(namespace: string): number {
    return this.#uses.get(namespace)?.objects ?? 0;
  }

  isIncomplete(namespace: string): boolean {
    return (this.#uses.get(namespace)?.leftOut.size ?? 0) > 0;
  }

  /** The namespaces of which something is counted or left out. */
  namespaces(): IterableIterator<string> {
    return this.#uses.keys();
  }

  /** The namespaces of which something is left out. */
  incomplete(): readonly string[] {
    return [...this.#uses].flatMap(([namespace, { leftOut }]) => (leftOut.size > 0 ? [namespace] : []));
  }

  /** True if something is left out of the namespace although there is room. */
  hasRoom(namespace: string, limits: KeptLimits): boolean {
    const use = this.#uses.get(namespace);
    return (
      use !== undefined &&
      use.leftOut.size > 0 &&
      use.objects < limits.objects * ROOM_SHARE &&
      use.bytes < limits.bytes * ROOM_SHARE
    );
  }

  #of(key: ObjectKey): Use {
    const namespace = namespaceOf(key);
    const known = this.#uses.get(namespace);
    if (known) return known;
    const use: Use = { objects: 0, bytes: 0, leftOut: new Set() };
    this.#uses.set(namespace, use);
    return use;
  }

  #forget(key: ObjectKey, { leftOut }: Use): void {
    if (leftOut.delete(key)) this.#leftOut -= 1;
  }

  #dropEmpty(key: ObjectKey, { objects, leftOut }: Use): void {
    if (objects === 0 && leftOut.size === 0) this.#uses.delete(namespaceOf(key));
  }
}

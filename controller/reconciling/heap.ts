/** Items of which only the first in order is needed: adding one or removing the first takes logarithmic time. */
export class Heap<T> {
  readonly #isBefore: (item: T, other: T) => boolean;
  #items: T[] = [];

  constructor(isBefore: (item: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    let index = this.#items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (!this.#comes(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Removes and returns the first item. */
  shift(): T | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink();
    }
    return first;
  }

  /** Removes all other items, in linear time. */
  keep(isKept: (item: T) => boolean): void {
    // A sorted array is a heap.
    this.#items = this.#items.filter(isKept).sort((one, other) => (this.#isBefore(one, other) ? -1 : 1));
  }

  clear(): void {
    this.#items = [];
  }

  #sink(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#comes(left + 1, left) ? left + 1 : left;
      if (!this.#comes(child, index)) return;
      this.#swap(index, child);
      index = child;
    }
  }

  #comes(index: number, other: number): boolean {
    const [one, two] = [this.#items[index], this.#items[other]];
    return one !== undefined && (two === undefined || this.#isBefore(one, two));
  }

  #swap(index: number, other: number): void {
    const [one, two] = [this.#items[index], this.#items[other]];
    if (one !== undefined && two !== undefined) [this.#items[index], this.#items[other]] = [two, one];
  }
}

/** Removed and superseded items that a heap may contain in addition to as many as it has live ones. */
const SPARE_ITEMS = 64;

/**
 * A heap with one live item per key, any of which can be removed. A removed or superseded item stays in the heap until it comes first,
 * or until there are too many of them, so every operation takes logarithmic time on average.
 */
export class LiveHeap<K, T> {
  readonly #keyOf: (item: T) => K;
  readonly #live = new Map<K, T>();
  readonly #heap: Heap<T>;

  constructor(keyOf: (item: T) => K, isBefore: (item: T, other: T) => boolean) {
    this.#keyOf = keyOf;
    this.#heap = new Heap(isBefore);
  }

  get size(): number {
    return this.#live.size;
  }

  get(key: K): T | undefined {
    return this.#live.get(key);
  }

  /** Supersedes the item with its key. */
  add(item: T): void {
    this.#live.set(this.#keyOf(item), item);
    this.#heap.push(item);
    this.#compact();
  }

  /** False if there was none. */
  remove(key: K): boolean {
    const isRemoved = this.#live.delete(key);
    if (isRemoved) this.#compact();
    return isRemoved;
  }

  first(): T | undefined {
    let first = this.#heap.first();
    while (first !== undefined && !this.#isLive(first)) {
      this.#heap.shift();
      first = this.#heap.first();
    }
    return first;
  }

  /** Removes and returns the first item. */
  shift(): T | undefined {
    const first = this.first();
    if (first === undefined) return undefined;
    this.#heap.shift();
    this.#live.delete(this.#keyOf(first));
    return first;
  }

  clear(): void {
    this.#live.clear();
    this.#heap.clear();
  }

  #isLive(item: T): boolean {
    return this.#live.get(this.#keyOf(item)) === item;
  }

  #compact(): void {
    if (this.#heap.size > 2 * this.#live.size + SPARE_ITEMS) this.#heap.keep((item) => this.#isLive(item));
  }
}

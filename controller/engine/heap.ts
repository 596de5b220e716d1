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

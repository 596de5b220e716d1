interface Link<T> {
  readonly item: T;
  next?: Link<T>;
}

/** Shifting an array moves all that stay, and a Map steps over all that ever left its front; this does neither. */
class Fifo<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    const link: Link<T> = { item };
    if (this.#last) this.#last.next = link;
    else this.#first = link;
    this.#last = link;
    this.#size += 1;
  }

  shift(): T | undefined {
    const link = this.#first;
    if (!link) return undefined;
    this.#first = link.next;
    if (!link.next) this.#last = undefined;
    this.#size -= 1;
    return link.item;
  }
}

/**
 * A fair queue: first in, first out within a group, and round-robin over groups.
 * However many items one group has, the first item of another waits for at most one item of each group. Every operation
 * takes constant time.
 */
export class FairQueue<T> {
  readonly #groups = new Map<string, Fifo<T>>();
  /** Every group that has items, once. */
  readonly #turns = new Fifo<string>();

  /** Items of the group that wait. */
  sizeOf(group: string): number {
    return this.#groups.get(group)?.size ?? 0;
  }

  push(group: string, item: T): void {
    const known = this.#groups.get(group);
    const line = known ?? new Fifo<T>();
    line.push(item);
    if (known) return;
    this.#groups.set(group, line);
    this.#turns.push(group);
  }

  /** Removes and returns the next item. */
  shift(): T | undefined {
    const group = this.#turns.shift();
    if (group === undefined) return undefined;
    const line = this.#groups.get(group);
    const item = line?.shift();
    if (line?.size === 0) this.#groups.delete(group);
    else this.#turns.push(group);
    return item;
  }
}

interface Link<T> {
  readonly item: T;
  next?: Link<T>;
}

/** Removes the first item in constant time. An array moves the rest, and a Map skips every item removed before. */
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
 * takes constant time, apart from the groups that `shift` passes over.
 */
export class FairQueue<T> {
  readonly #groups = new Map<string, Fifo<T>>();
  /** Groups that have items, each once, in round-robin order. */
  readonly #order = new Fifo<string>();

  /** Number of waiting items of the group. */
  sizeOf(group: string): number {
    return this.#groups.get(group)?.size ?? 0;
  }

  push(group: string, item: T): void {
    const known = this.#groups.get(group);
    const items = known ?? new Fifo<T>();
    items.push(item);
    if (known) return;
    this.#groups.set(group, items);
    this.#order.push(group);
  }

  /** Removes and returns the next item of a group that is allowed. Groups that are not keep their place behind the others. */
  shift(isAllowed: (group: string) => boolean = () => true): T | undefined {
    for (let left = this.#order.size; left > 0; left -= 1) {
      const group = this.#order.shift();
      if (group === undefined) break;
      if (isAllowed(group)) return this.#shiftOf(group);
      this.#order.push(group);
    }
    return undefined;
  }

  #shiftOf(group: string): T | undefined {
    const items = this.#groups.get(group);
    const item = items?.shift();
    if (items?.size === 0) this.#groups.delete(group);
    else this.#order.push(group);
    return item;
  }
}

interface Link<T> {
  readonly item: T;
  next?: Link<T>;
}

/**
 * Removes the first item, or the first that is wanted, without touching those behind it. An array moves the rest, and a Map skips every
 * item removed before.
 */
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

  shift(isWanted: (item: T) => boolean = () => true): T | undefined {
    let before: Link<T> | undefined;
    for (let link = this.#first; link; link = link.next) {
      if (isWanted(link.item)) return this.#remove(link, before);
      before = link;
    }
    return undefined;
  }

  #remove(link: Link<T>, before: Link<T> | undefined): T {
    if (!link.next) this.#last = before;
    if (!before) this.#first = link.next;
    else if (link.next) before.next = link.next;
    else delete before.next;
    this.#size -= 1;
    return link.item;
  }
}

/**
 * A fair queue: first in, first out within a group, and round-robin over groups. However many items one group has, the first item of
 * another waits for at most one item of each group. A group that may not be served now, because it is at its limit, is passed over and
 * stays the next one: it has already waited. Every operation takes constant time, apart from the groups that are passed over.
 */
export class FairQueue<T> {
  readonly #groups = new Map<string, Fifo<T>>();
  /** Groups that have items, each once, in round-robin order. */
  readonly #order = new Fifo<string>();

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

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

  /** Removes and returns the next item of a group that is allowed, by default of any. */
  shift(isAllowed?: (group: string) => boolean): T | undefined {
    const group = this.#order.shift(isAllowed);
    if (group === undefined) return undefined;
    const items = this.#groups.get(group);
    const item = items?.shift();
    if (items?.size === 0) this.#groups.delete(group);
    else this.#order.push(group);
    return item;
  }
}

import { Heap } from '../engine/heap.ts';
import type { SlotRequest } from './queue-order.ts';

/** Removed requests that a heap may contain in addition to twice as many as wait. */
const SPARE_REQUESTS = 64;

function isOlder(one: SlotRequest, other: SlotRequest): boolean {
  return one.order < other.order;
}

/** Waiting jobs, of which the oldest is next. Every operation takes logarithmic time, also with a hundred thousand jobs. */
export class WaitingQueue {
  readonly #waiting = new Set<SlotRequest>();
  /** May contain removed ones. */
  readonly #ordered = new Heap(isOlder);

  get size(): number {
    return this.#waiting.size;
  }

  add(request: SlotRequest): void {
    this.#waiting.add(request);
    this.#ordered.push(request);
    if (this.#ordered.size > 2 * this.#waiting.size + SPARE_REQUESTS)
      this.#ordered.keep((one) => this.#waiting.has(one));
  }

  remove(request: SlotRequest): void {
    this.#waiting.delete(request);
  }

  first(): SlotRequest | undefined {
    for (;;) {
      const request = this.#ordered.first();
      if (!request || this.#waiting.has(request)) return request;
      this.#ordered.shift();
    }
  }
}

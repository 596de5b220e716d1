import { Heap } from '../engine/heap.ts';
import type { SlotRequest } from './queue-order.ts';

/** Removed requests that a heap may contain in addition to twice as many as wait. */
const SPARE_REQUESTS = 64;

const isOlder = (one: SlotRequest, other: SlotRequest): boolean => one.order < other.order;

/**
 * Waiting jobs, of which the oldest with a free target is next. Every operation takes logarithmic time, also with a hundred
 * thousand jobs, of one target or of many. Jobs whose target is taken are set aside until it is free.
 */
export class WaitingQueue {
  /** Whether no other job writes the target of the request. */
  readonly #isFree: (request: SlotRequest) => boolean;
  readonly #waiting = new Set<SlotRequest>();
  /** May contain requests whose target is taken, and removed ones. */
  readonly #ready = new Heap(isOlder);
  /** By target. If there are any and the target is free, one of them is in `#ready`. May contain removed ones. */
  readonly #aside = new Map<string, Heap<SlotRequest>>();

  constructor(isFree: (request: SlotRequest) => boolean) {
    this.#isFree = isFree;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(request: SlotRequest): void {
    this.#waiting.add(request);
    this.#push(this.#ready, request);
  }

  remove(request: SlotRequest): void {
    if (this.#waiting.delete(request)) this.freed(request.target);
  }

  /** The oldest request whose target is free. */
  first(): SlotRequest | undefined {
    for (;;) {
      const request = this.#ready.first();
      if (!request) return undefined;
      const isWaiting = this.#waiting.has(request);
      if (isWaiting && this.#isFree(request)) return request;
      this.#ready.shift();
      if (isWaiting) this.#setAside(request);
    }
  }

  /** Call this when a job of the target ends. */
  freed(target: string): void {
    const aside = this.#aside.get(target);
    if (!aside) return;
    let next = aside.shift();
    while (next && !this.#waiting.has(next)) next = aside.shift();
    if (next) this.#push(this.#ready, next);
    if (aside.size === 0) this.#aside.delete(target);
  }

  #setAside(request: SlotRequest): void {
    const aside = this.#aside.get(request.target) ?? new Heap(isOlder);
    this.#aside.set(request.target, aside);
    this.#push(aside, request);
  }

  #push(heap: Heap<SlotRequest>, request: SlotRequest): void {
    heap.push(request);
    if (heap.size > 2 * this.#waiting.size + SPARE_REQUESTS) heap.keep((one) => this.#waiting.has(one));
  }
}

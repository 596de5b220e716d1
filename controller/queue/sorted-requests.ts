import type { SlotRequest } from './queue-order.ts';

/** Requests of one chunk. Adding one to a single array of a hundred thousand would move half of them. */
const CHUNK = 512;

/** Index of the first item for which this is true, of items for which it is false and then true. */
function firstIndex<T>(items: readonly T[], isTrue: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && isTrue(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Requests in the order of their age. */
export class SortedRequests {
  /** None is empty. */
  readonly #chunks: SlotRequest[][] = [];

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  first(): SlotRequest | undefined {
    return this.#chunks[0]?.[0];
  }

  add(request: SlotRequest): void {
    const at = Math.min(this.#chunkOf(request), this.#chunks.length - 1);
    const chunk = this.#chunks[at];
    if (!chunk) {
      this.#chunks.push([request]);
      return;
    }
    const index = firstIndex(chunk, ({ order }) => order >= request.order);
    if (chunk[index] !== request) chunk.splice(index, 0, request);
    if (chunk.length > CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK / 2));
  }

  remove(request: SlotRequest): void {
    const at = this.#chunkOf(request);
    const chunk = this.#chunks[at] ?? [];
    const index = firstIndex(chunk, ({ order }) => order >= request.order);
    if (chunk[index] !== request) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** The next older one. */
  before(request: SlotRequest): SlotRequest | undefined {
    const at = this.#chunkOf(request);
    const index = firstIndex(this.#chunks[at] ?? [], ({ order }) => order >= request.order);
    return index > 0 ? this.#chunks[at]?.[index - 1] : this.#chunks[at - 1]?.at(-1);
  }

  /** Where the request is, if it is there; after the last one if all are older. */
  #chunkOf(request: SlotRequest): number {
    return firstIndex(this.#chunks, (chunk) => (chunk.at(-1)?.order ?? '') >= request.order);
  }
}

const KIB = 1024;
const SMALLEST_BLOCK_BYTES = 4 * KIB;
const LARGEST_BLOCK_BYTES = 64 * KIB;
/** Enough for what downloads of small files give back and take again. More is needed only while large files wait for their parts. */
const MOST_FREE_BYTES = 2 * 1024 * KIB;

/**
 * Reusable blocks for buffered bytes. Buffered bytes outlive the young generation. In the buffers of the sockets, they
 * would be freed only by a full garbage collection, and memory would grow to twice the budget until then.
 */
export class BlockPool {
  readonly #maxFreeBytes: number;
  readonly #free = new Map<number, Uint8Array[]>();
  #freeBytes = 0;

  constructor(maxFreeBytes: number) {
    this.#maxFreeBytes = Math.min(maxFreeBytes, MOST_FREE_BYTES);
  }

  /** Returns a block of 4 to 64 KiB, twice as large as `before`. */
  take(before: number): Uint8Array {
    const size = Math.min(LARGEST_BLOCK_BYTES, Math.max(SMALLEST_BLOCK_BYTES, before * 2));
    const block = this.#free.get(size)?.pop();
    if (!block) return Buffer.allocUnsafeSlow(size);
    this.#freeBytes -= size;
    return block;
  }

  /** Returns a block that is no longer read. */
  giveBack(block: Uint8Array): void {
    const size = block.byteLength;
    if (this.#freeBytes + size > this.#maxFreeBytes) {
      // V8 would free it only with the whole heap.
      if (block.buffer instanceof ArrayBuffer) block.buffer.transfer(0);
      return;
    }
    this.#freeBytes += size;
    const list = this.#free.get(size);
    if (list) list.push(block);
    else this.#free.set(size, [block]);
  }
}

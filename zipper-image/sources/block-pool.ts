const KIB = 1024;
const SMALLEST_BLOCK_BYTES = 4 * KIB;
const LARGEST_BLOCK_BYTES = 64 * KIB;

/**
 * Blocks for the bytes that wait, used again and again. Bytes that wait outlive the young generation: kept in the buffers of
 * the sockets they would be collected only with the whole heap, and until then memory would grow to twice the budget.
 */
export class BlockPool {
  readonly #maxFreeBytes: number;
  readonly #free = new Map<number, Uint8Array[]>();
  #freeBytes = 0;

  constructor(maxFreeBytes: number) {
    this.#maxFreeBytes = maxFreeBytes;
  }

  /** A block of 4 to 64 KiB, twice as large as the one `before`. */
  take(before: number): Uint8Array {
    const size = Math.min(LARGEST_BLOCK_BYTES, Math.max(SMALLEST_BLOCK_BYTES, before * 2));
    const block = this.#free.get(size)?.pop();
    if (!block) return Buffer.allocUnsafeSlow(size);
    this.#freeBytes -= size;
    return block;
  }

  /** Nobody reads the block any more. */
  giveBack(block: Uint8Array): void {
    const size = block.byteLength;
    if (this.#freeBytes + size > this.#maxFreeBytes) return;
    this.#freeBytes += size;
    const list = this.#free.get(size);
    if (list) list.push(block);
    else this.#free.set(size, [block]);
  }
}

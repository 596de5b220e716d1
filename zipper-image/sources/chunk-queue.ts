import type { BlockPool } from './block-pool.ts';
import { releaseReceived } from './received-memory.ts';

interface Filled {
  readonly block: Uint8Array;
  bytes: number;
}

/**
 * Buffered bytes in order, copied into blocks of the pool. A chunk that the reader already waits for is not copied,
 * unless another chunk arrives in between.
 */
export class ChunkQueue {
  readonly #pool: BlockPool;
  #filled: Filled[] = [];
  #first = 0;
  #fresh: Uint8Array | undefined;
  /** What the reader uses until it requests the next chunk: a block, which then returns to the pool, or received bytes. */
  #lentBlock: Uint8Array | undefined;
  #lentChunk: Uint8Array | undefined;
  #bytes = 0;
  #lastBlockBytes = 0;

  constructor(pool: BlockPool) {
    this.#pool = pool;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `isAwaited`: the reader will probably take the chunk immediately. */
  push(chunk: Uint8Array, isAwaited: boolean): void {
    if (chunk.byteLength === 0) return;
    const isFirst = this.#bytes === 0;
    this.#bytes += chunk.byteLength;
    if (isAwaited && isFirst) {
      this.#fresh = chunk;
      return;
    }
    this.#keepFresh();
    this.#copy(chunk);
  }

  /** The next bytes, valid until the next call; undefined if there are none. */
  shift(): Uint8Array | undefined {
    this.#takeBack();
    const chunk = this.#takeFresh() ?? this.#takeBlock();
    this.#bytes -= chunk?.byteLength ?? 0;
    return chunk;
  }

  /** The buffered bytes in order. They stay. */
  *peek(): Generator<Uint8Array> {
    if (this.#fresh) yield this.#fresh;
    for (const { block, bytes } of this.#filled.slice(this.#first)) yield block.subarray(0, bytes);
  }

  /** All buffered bytes as one copy. */
  takeAll(): Uint8Array {
    const all = Buffer.allocUnsafeSlow(this.#bytes);
    let offset = 0;
    for (let chunk = this.shift(); chunk; chunk = this.shift()) {
      all.set(chunk, offset);
      offset += chunk.byteLength;
    }
    return all;
  }

  /** Drops all bytes except those that the reader may still use. */
  clear(): void {
    for (let filled = this.#nextFilled(); filled; filled = this.#nextFilled())
      this.#pool.giveBack(filled.block);
    this.#fresh = undefined;
    this.#lentBlock = undefined;
    this.#lentChunk = undefined;
    this.#bytes = 0;
    this.#lastBlockBytes = 0;
  }

  #takeBack(): void {
    if (this.#lentBlock) this.#pool.giveBack(this.#lentBlock);
    if (this.#lentChunk) releaseReceived(this.#lentChunk);
    this.#lentBlock = undefined;
    this.#lentChunk = undefined;
  }

  #takeFresh(): Uint8Array | undefined {
    const fresh = this.#fresh;
    this.#fresh = undefined;
    this.#lentChunk = fresh;
    return fresh;
  }

  #takeBlock(): Uint8Array | undefined {
    const filled = this.#nextFilled();
    if (!filled) return undefined;
    this.#lentBlock = filled.block;
    return filled.block.subarray(0, filled.bytes);
  }

  #nextFilled(): Filled | undefined {
    const filled = this.#filled[this.#first];
    if (!filled) return undefined;
    this.#first += 1;
    if (this.#first === this.#filled.length || this.#first === 64) {
      this.#filled = this.#filled.slice(this.#first);
      this.#first = 0;
    }
    return filled;
  }

  #keepFresh(): void {
    const fresh = this.#fresh;
    this.#fresh = undefined;
    if (fresh) this.#copy(fresh);
  }

  #copy(chunk: Uint8Array): void {
    for (let offset = 0; offset < chunk.byteLength; ) {
      const last = this.#roomyBlock();
      const part = chunk.subarray(offset, offset + last.block.byteLength - last.bytes);
      last.block.set(part, last.bytes);
      last.bytes += part.byteLength;
      offset += part.byteLength;
    }
    releaseReceived(chunk);
  }

  #roomyBlock(): Filled {
    const last = this.#filled.at(-1);
    if (last && last.bytes < last.block.byteLength) return last;
    const block = this.#pool.take(this.#lastBlockBytes);
    this.#lastBlockBytes = block.byteLength;
    const filled: Filled = { block, bytes: 0 };
    this.#filled.push(filled);
    return filled;
  }
}

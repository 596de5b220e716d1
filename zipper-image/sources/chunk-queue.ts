const FIRST_BLOCK_BYTES = 4 * 1024;
const LARGEST_BLOCK_BYTES = 64 * 1024;

/**
 * Bytes waiting in order. A chunk that fills most of the memory under it is kept as it is; a smaller slice would keep that
 * whole memory alive (16 bytes can hold 64 KiB), so it is copied behind its neighbours into a block.
 */
export class ChunkQueue {
  #chunks: Uint8Array[] = [];
  #first = 0;
  #bytes = 0;
  #block: Uint8Array | undefined;
  #blockFrom = 0;
  #blockTo = 0;
  #nextBlockBytes = FIRST_BLOCK_BYTES;

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return;
    this.#bytes += chunk.byteLength;
    if (chunk.byteLength * 2 >= chunk.buffer.byteLength) {
      this.#sealBlock();
      this.#chunks.push(chunk);
    } else this.#copy(chunk);
  }

  /** The next bytes; undefined when there are none. */
  shift(): Uint8Array | undefined {
    if (this.#first === this.#chunks.length) this.#sealBlock();
    const chunk = this.#chunks[this.#first];
    if (!chunk) return undefined;
    this.#first += 1;
    if (this.#first === this.#chunks.length) {
      this.#chunks = [];
      this.#first = 0;
    } else if (this.#first === 64) {
      this.#chunks = this.#chunks.slice(64);
      this.#first = 0;
    }
    this.#bytes -= chunk.byteLength;
    return chunk;
  }

  /** All waiting bytes in one piece. */
  takeAll(): Uint8Array {
    const { bytes } = this;
    const first = this.shift() ?? new Uint8Array(0);
    if (this.#bytes === 0) return first;
    const all = Buffer.allocUnsafeSlow(bytes);
    let offset = 0;
    for (let chunk: Uint8Array | undefined = first; chunk; chunk = this.shift()) {
      all.set(chunk, offset);
      offset += chunk.byteLength;
    }
    return all;
  }

  clear(): void {
    this.#chunks = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#block = undefined;
    this.#blockFrom = this.#blockTo = 0;
    this.#nextBlockBytes = FIRST_BLOCK_BYTES;
  }

  #copy(chunk: Uint8Array): void {
    for (let offset = 0; offset < chunk.byteLength; ) {
      const block = this.#roomyBlock();
      const part = chunk.subarray(offset, offset + block.byteLength - this.#blockTo);
      block.set(part, this.#blockTo);
      this.#blockTo += part.byteLength;
      offset += part.byteLength;
    }
  }

  #roomyBlock(): Uint8Array {
    if (this.#block && this.#blockTo < this.#block.byteLength) return this.#block;
    this.#sealBlock();
    this.#block = Buffer.allocUnsafeSlow(this.#nextBlockBytes);
    this.#nextBlockBytes = Math.min(LARGEST_BLOCK_BYTES, this.#nextBlockBytes * 4);
    this.#blockFrom = this.#blockTo = 0;
    return this.#block;
  }

  /** Moves the filled part of the block to the chunks; the rest of it is filled further. */
  #sealBlock(): void {
    if (!this.#block || this.#blockTo === this.#blockFrom) return;
    this.#chunks.push(this.#block.subarray(this.#blockFrom, this.#blockTo));
    this.#blockFrom = this.#blockTo;
    if (this.#blockTo === this.#block.byteLength) this.#block = undefined;
  }
}

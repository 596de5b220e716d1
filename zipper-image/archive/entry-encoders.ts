/**
 * The two encodings of a body as the data of a method-8 (deflate) entry: stored blocks, which are not compressed but
 * mark their own end, so that streaming readers need no sizes; and compressed data.
 *
 * The output depends only on the body, not on its chunks: all blocks except the last are 65,535 bytes.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';
import type { ByteSink } from '../byte-sink.ts';
import { combineCrc32 } from '../crc32-combine.ts';
import { DEFLATE_LEVEL } from './compressible.ts';

const BLOCK_BYTES = 65_535;
const BLOCK_HEADER_BYTES = 5;
const DEFLATE_INPUT_BYTES = 65_536;
/** Reading fewer bytes once more takes less time than combining their CRC-32. */
const COMBINED_BYTES = 1024;

export interface EncodeOptions {
  readonly sink: ByteSink;
  readonly signal?: AbortSignal | undefined;
}

/** Size of `length` bytes as stored blocks. */
export function storedBlocksSize(length: number): number {
  return length + BLOCK_HEADER_BYTES * Math.max(1, Math.ceil(length / BLOCK_BYTES));
}

/** Upper bound for the compressed size of `length` bytes (zlib's own bound). */
export function deflateBound(length: number): number {
  return length + Math.floor(length / 4096) + Math.floor(length / 16_384) + Math.floor(length / 2 ** 25) + 13;
}

function writeBlockHeader(header: Buffer, length: number, isLast: boolean): Buffer {
  header.writeUInt8(isLast ? 1 : 0, 0);
  header.writeUInt16LE(length, 1);
  header.writeUInt16LE(length ^ 0xffff, 3);
  return header;
}

/** Writes a body of known length as stored blocks. The header of a block is written before its data arrives. */
class KnownBlocks {
  readonly #sink: ByteSink;
  readonly #header = Buffer.alloc(BLOCK_HEADER_BYTES);
  #ahead: number;
  #blockLeft = 0;
  /** CRC-32 of the data so far. */
  crc = 0;

  constructor(sink: ByteSink, length: number) {
    this.#sink = sink;
    this.#ahead = length;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const header = this.#blockLeft === 0 ? this.startBlock() : undefined;
      if (header) await header;
      const piece = Math.min(this.#blockLeft, chunk.length - at);
      const data = this.#writeData(piece === chunk.length ? chunk : chunk.subarray(at, at + piece));
      if (data) await data;
      this.#blockLeft -= piece;
      at += piece;
    }
  }

  #writeData(data: Uint8Array): Promise<void> | undefined {
    if (data.length < COMBINED_BYTES) {
      this.crc = crc32(data, this.crc);
      return this.#sink.write(data);
    }
    const crc = crc32(data);
    this.crc = combineCrc32(this.crc, crc, data.length);
    return this.#sink.write(data, crc);
  }

  startBlock(): Promise<void> | undefined {
    this.#blockLeft = Math.min(BLOCK_BYTES, this.#ahead);
    this.#ahead -= this.#blockLeft;
    return this.#sink.write(writeBlockHeader(this.#header, this.#blockLeft, this.#ahead === 0));
  }
}

/**
 * Encodes a body of known length without buffering. The body must have exactly that length. Returns its CRC-32, which
 * the sink gets too, so that it need not read the bytes again.
 */
export async function encodeKnownLength(
  body: AsyncIterable<Uint8Array>,
  length: number,
  { sink }: EncodeOptions,
): Promise<number> {
  const blocks = new KnownBlocks(sink, length);
  for await (const chunk of body) await blocks.write(chunk);
  if (length === 0) await blocks.startBlock();
  return blocks.crc;
}

/** Encodes a body of unknown length. A full block is buffered until it is known whether it is the last. */
export async function encodeUnknownLength(
  body: AsyncIterable<Uint8Array>,
  { sink }: EncodeOptions,
): Promise<number> {
  const block = Buffer.allocUnsafe(BLOCK_HEADER_BYTES + BLOCK_BYTES);
  let filled = 0;
  let written = 0;
  async function flush(isLast: boolean): Promise<void> {
    writeBlockHeader(block, filled, isLast);
    await sink.write(block.subarray(0, BLOCK_HEADER_BYTES + filled));
    written += BLOCK_HEADER_BYTES + filled;
    filled = 0;
  }
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; ) {
      if (filled === BLOCK_BYTES) await flush(false);
      const piece = Math.min(BLOCK_BYTES - filled, chunk.length - at);
      block.set(chunk.subarray(at, at + piece), BLOCK_HEADER_BYTES + filled);
      filled += piece;
      at += piece;
    }
  }
  await flush(true);
  return written;
}

/**
 * Copies the body into chunks of one size, because zlib reads them later on another thread, when the source may have
 * reused its own.
 */
async function* inFixedChunks(body: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let chunk = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  for await (const source of body) {
    for (let at = 0; at < source.length; ) {
      const piece = Math.min(size - filled, source.length - at);
      chunk.set(source.subarray(at, at + piece), filled);
      filled += piece;
      at += piece;
      if (filled === size) {
        yield chunk;
        chunk = Buffer.allocUnsafeSlow(size);
        filled = 0;
      }
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

/** Compresses the body and returns the compressed size. Buffers only a few chunks before and after zlib. */
export async function encodeDeflated(
  body: AsyncIterable<Uint8Array>,
  { sink, signal }: EncodeOptions,
): Promise<number> {
  let written = 0;
  const input = Readable.from(inFixedChunks(body, DEFLATE_INPUT_BYTES), { highWaterMark: 1 });
  const deflate = createDeflateRaw({ level: DEFLATE_LEVEL, chunkSize: DEFLATE_INPUT_BYTES });
  async function drain(output: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of output) {
      await sink.write(chunk);
      written += chunk.length;
    }
  }
  await pipeline(input, deflate, drain, signal ? { signal } : {});
  return written;
}

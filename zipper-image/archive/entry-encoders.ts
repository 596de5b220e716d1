/**
 * The encodings of a body, in order, as the data of a method-8 (deflate) entry: stored blocks, which are not compressed but
 * mark their own end, so that streaming readers need no sizes; and compressed data.
 *
 * The output depends only on the body, not on its chunks: all blocks except the last are 65,535 bytes.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDeflateRaw } from 'node:zlib';
import type { ByteSink } from '../byte-sink.ts';
import { DEFLATE_LEVEL } from './compressible.ts';
import { BLOCK_BYTES, type Framing, framedSize, HEADER_BYTES, writeBlockHeader } from './stored-blocks.ts';

const DEFLATE_INPUT_BYTES = 65_536;

export interface EncodeOptions {
  readonly sink: ByteSink;
  readonly signal?: AbortSignal | undefined;
}

/** Upper bound for the compressed size of `length` bytes (zlib's own bound). */
function deflateBound(length: number): number {
  return length + Math.floor(length / 4096) + Math.floor(length / 16_384) + Math.floor(length / 2 ** 25) + 13;
}

/** How a body is written that is not in memory as a whole. */
export type Coding = Framing | 'deflate';

/** Upper bound for the size of `length` coded bytes, which is exact unless they are compressed. */
export function codedBound(length: number, coding: Coding): number {
  return coding === 'deflate' ? deflateBound(length) : framedSize(length, coding);
}

/** Encodes a body of unknown length. A full block is buffered until it is known whether it is the last. */
export async function encodeUnknownLength(
  body: AsyncIterable<Uint8Array>,
  { sink }: EncodeOptions,
): Promise<number> {
  const block = Buffer.allocUnsafe(HEADER_BYTES + BLOCK_BYTES);
  let filled = 0;
  let written = 0;
  async function flush(isLast: boolean): Promise<void> {
    writeBlockHeader(block, filled, isLast);
    await sink.write(block.subarray(0, HEADER_BYTES + filled));
    written += HEADER_BYTES + filled;
    filled = 0;
  }
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; ) {
      if (filled === BLOCK_BYTES) await flush(false);
      const piece = Math.min(BLOCK_BYTES - filled, chunk.length - at);
      block.set(chunk.subarray(at, at + piece), HEADER_BYTES + filled);
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

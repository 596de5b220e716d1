/**
 * Splits a stream of bytes into parts of one size, in a fixed set of buffers.
 *
 * Bytes are copied into the current buffer. A full buffer is sent while the next one is filled. Buffers are allocated
 * once and reused, so memory does not depend on how the bytes arrive. When all buffers are being sent, the writer
 * waits. This is the only place where a slow store slows down the sources.
 */
import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { toError } from '#runtime/errors.ts';
import type { ByteSink } from '../byte-sink.ts';
import { combineCrc32 } from '../crc32-combine.ts';
import type { PartChecksum } from './store-capabilities.ts';

export type PartDigests =
  | { readonly kind: 'crc32'; readonly crc32: number }
  | { readonly kind: 'md5'; readonly md5: Buffer };

export interface FilledPart {
  /** From 1. */
  readonly number: number;
  /** Valid until `send` completes. Then the buffer is reused. */
  readonly body: Buffer;
  readonly digests: PartDigests;
}

export interface PartWriterOptions {
  readonly partSizeBytes: number;
  /** Maximum number of parts that are sent while the next one is filled. */
  readonly partsInFlight: number;
  readonly checksum: PartChecksum;
  /** Receives all bytes in order, in pieces that are still in the CPU cache. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined;
  readonly send: (part: FilledPart) => Promise<void>;
}

export interface PartWriter extends ByteSink {
  readonly bytesWritten: number;
  readonly partsStarted: number;
  /** Number of allocated buffers, at most partsInFlight + 1. */
  readonly buffersAllocated: number;
  /** Sends the last part and waits for every part. */
  finish(): Promise<void>;
  /** Resolves when no part is being sent, whether the parts succeeded or failed. */
  finished(): Promise<void>;
}

/** Bytes per checksum update, small enough to be still in the CPU cache. */
const DIGEST_STRIDE = 256 * 1024;

interface Written {
  readonly from: number;
  readonly to: number;
  /** The CRC-32 of these bytes, if the writer knows it. */
  readonly crc: number | undefined;
}

interface Digester {
  /** Adds the next bytes of the buffer to the checksum, immediately or together with later ones. */
  add(buffer: Buffer, written: Written): void;
  /** The checksum of the buffer up to `end`. */
  result(buffer: Buffer, end: number): PartDigests;
}

function createDigester({ checksum, onBytes }: PartWriterOptions): Digester {
  let summed = 0;
  let crc = 0;
  const hash: Hash | undefined = checksum === 'md5' ? createHash('md5') : undefined;
  function read(buffer: Buffer, end: number): void {
    if (summed === end) return;
    const bytes = buffer.subarray(summed, end);
    if (hash) hash.update(bytes);
    else crc = crc32(bytes, crc);
    onBytes?.(bytes);
    summed = end;
  }
  const mustRead = hash !== undefined || onBytes !== undefined;
  return {
    add: (buffer, { from, to, crc: known }) => {
      if (known === undefined || mustRead) {
        if (to - summed >= DIGEST_STRIDE) read(buffer, to);
        return;
      }
      read(buffer, from);
      crc = combineCrc32(crc, known, to - from);
      summed = to;
    },
    result: (buffer, end) => {
      read(buffer, end);
      return hash ? { kind: 'md5', md5: hash.digest() } : { kind: 'crc32', crc32: crc };
    },
  };
}

/** The part that is being filled. */
interface CurrentPart {
  readonly buffer: Buffer;
  readonly digester: Digester;
  filled: number;
}

class PooledPartWriter implements PartWriter {
  readonly #options: PartWriterOptions;
  readonly #free: Buffer[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #allocated = 0;
  #freed = Promise.withResolvers<void>();
  #failure: Error | undefined;
  #current: CurrentPart | undefined;
  bytesWritten = 0;
  partsStarted = 0;

  constructor(options: PartWriterOptions) {
    this.#options = options;
  }

  get buffersAllocated(): number {
    return this.#allocated;
  }

  write(chunk: Uint8Array, crc?: number): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure);
    this.bytesWritten += chunk.length;
    const copied = this.#copy(chunk, 0, crc);
    return copied === chunk.length ? undefined : this.#copyWaiting(chunk, copied, crc);
  }

  async finish(): Promise<void> {
    if (this.#current) this.#sendCurrent(this.#current);
    await this.finished();
    if (this.#failure) throw this.#failure;
  }

  async finished(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Copies until the chunk is consumed or no buffer is free. Returns the new position. */
  #copy(chunk: Uint8Array, from: number, crc: number | undefined): number {
    const { partSizeBytes } = this.#options;
    for (let at = from; at < chunk.length; ) {
      this.#current ??= this.#startPart();
      const part = this.#current;
      if (!part) return at;
      const piece = Math.min(partSizeBytes - part.filled, chunk.length - at);
      const isWhole = piece === chunk.length;
      const before = part.filled;
      part.buffer.set(isWhole ? chunk : chunk.subarray(at, at + piece), before);
      part.filled += piece;
      at += piece;
      part.digester.add(part.buffer, { from: before, to: part.filled, crc: isWhole ? crc : undefined });
      if (part.filled === partSizeBytes) this.#sendCurrent(part);
    }
    return chunk.length;
  }

  async #copyWaiting(chunk: Uint8Array, from: number, crc: number | undefined): Promise<void> {
    for (let at = from; at < chunk.length; ) {
      await this.#freed.promise;
      if (this.#failure) throw this.#failure;
      at = this.#copy(chunk, at, crc);
    }
  }

  #startPart(): CurrentPart | undefined {
    const buffer = this.#free.pop() ?? this.#allocate();
    return buffer && { buffer, digester: createDigester(this.#options), filled: 0 };
  }

  #allocate(): Buffer | undefined {
    if (this.#allocated > this.#options.partsInFlight) return undefined;
    this.#allocated += 1;
    return Buffer.allocUnsafeSlow(this.#options.partSizeBytes);
  }

  #sendCurrent(current: CurrentPart): void {
    const { buffer, digester, filled } = current;
    const digests = digester.result(buffer, filled);
    this.#current = undefined;
    this.partsStarted += 1;
    const part = { number: this.partsStarted, body: buffer.subarray(0, filled), digests };
    const sent = this.#send(part, buffer).finally(() => this.#inFlight.delete(sent));
    this.#inFlight.add(sent);
  }

  async #send(part: FilledPart, buffer: Buffer): Promise<void> {
    try {
      await this.#options.send(part);
    } catch (error) {
      this.#failure ??= toError(error);
    }
    this.#free.push(buffer);
    this.#freed.resolve();
    this.#freed = Promise.withResolvers<void>();
  }
}

/** Allocates at most partsInFlight + 1 buffers, each when it is first needed. */
export function createPartWriter(options: PartWriterOptions): PartWriter {
  return new PooledPartWriter(options);
}

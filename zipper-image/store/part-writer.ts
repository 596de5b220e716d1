/**
 * Cuts a stream of bytes into parts of one size, in a fixed set of buffers.
 *
 * Bytes are copied into the current buffer; a full one is sent while the next is filled. All buffers are allocated once and
 * used again, so memory does not depend on how the bytes arrive, and when every buffer is on its way the writer waits: that
 * wait is the only place where a slow store slows the sources.
 */
import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { toError } from '#runtime/errors.ts';
import type { ByteSink } from '../byte-sink.ts';
import type { PartChecksum } from './store-capabilities.ts';

export type PartDigests =
  | { readonly kind: 'crc32'; readonly crc32: number }
  | { readonly kind: 'md5'; readonly md5: Buffer };

export interface FilledPart {
  /** From 1. */
  readonly number: number;
  /** Valid until `send` is over; then the buffer is filled again. */
  readonly body: Buffer;
  readonly digests: PartDigests;
}

export interface PartWriterOptions {
  readonly partSizeBytes: number;
  /** Parts that may be on their way while the next is filled. */
  readonly partsInFlight: number;
  readonly checksum: PartChecksum;
  /** Sees all bytes in order, in pieces that the processor still has at hand. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined;
  readonly send: (part: FilledPart) => Promise<void>;
}

export interface PartWriter extends ByteSink {
  readonly bytesWritten: number;
  readonly partsStarted: number;
  /** Buffers that exist: never more than partsInFlight + 1. */
  readonly buffersAllocated: number;
  /** Sends what is left and waits for every part. */
  finish(): Promise<void>;
  /** Resolves when no part is on its way any more, however they ended. */
  finished(): Promise<void>;
}

/** Bytes that are summed at a time: small enough to be in the processor's cache still. */
const DIGEST_STRIDE = 256 * 1024;

interface Digester {
  /** Sums the buffer's bytes up to `end`. */
  advance(buffer: Buffer, end: number): void;
  result(): PartDigests;
}

const createDigester = ({ checksum, onBytes }: PartWriterOptions): Digester => {
  let summed = 0;
  let crc = 0;
  const hash: Hash | undefined = checksum === 'md5' ? createHash('md5') : undefined;
  return {
    advance: (buffer, end) => {
      const bytes = buffer.subarray(summed, end);
      if (hash) hash.update(bytes);
      else crc = crc32(bytes, crc);
      onBytes?.(bytes);
      summed = end;
    },
    result: () => (hash ? { kind: 'md5', md5: hash.digest() } : { kind: 'crc32', crc32: crc }),
  };
};

/** The part that is being filled. */
interface CurrentPart {
  readonly buffer: Buffer;
  readonly digester: Digester;
  filled: number;
  summed: number;
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

  write(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure);
    this.bytesWritten += chunk.length;
    const copied = this.#copy(chunk, 0);
    return copied === chunk.length ? undefined : this.#copyWaiting(chunk, copied);
  }

  async finish(): Promise<void> {
    if (this.#current) this.#sendCurrent(this.#current);
    await this.finished();
    if (this.#failure) throw this.#failure;
  }

  async finished(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Copies until the chunk is used up or no buffer is free; answers how far it came. */
  #copy(chunk: Uint8Array, from: number): number {
    const { partSizeBytes } = this.#options;
    for (let at = from; at < chunk.length; ) {
      this.#current ??= this.#startPart();
      const part = this.#current;
      if (!part) return at;
      const piece = Math.min(partSizeBytes - part.filled, chunk.length - at);
      part.buffer.set(piece === chunk.length ? chunk : chunk.subarray(at, at + piece), part.filled);
      part.filled += piece;
      at += piece;
      if (part.filled - part.summed >= DIGEST_STRIDE) {
        part.digester.advance(part.buffer, part.filled);
        part.summed = part.filled;
      }
      if (part.filled === partSizeBytes) this.#sendCurrent(part);
    }
    return chunk.length;
  }

  async #copyWaiting(chunk: Uint8Array, from: number): Promise<void> {
    for (let at = from; at < chunk.length; ) {
      await this.#freed.promise;
      if (this.#failure) throw this.#failure;
      at = this.#copy(chunk, at);
    }
  }

  #startPart(): CurrentPart | undefined {
    const buffer = this.#free.pop() ?? this.#allocate();
    return buffer && { buffer, digester: createDigester(this.#options), filled: 0, summed: 0 };
  }

  #allocate(): Buffer | undefined {
    if (this.#allocated > this.#options.partsInFlight) return undefined;
    this.#allocated += 1;
    return Buffer.allocUnsafeSlow(this.#options.partSizeBytes);
  }

  #sendCurrent(current: CurrentPart): void {
    const { buffer, digester, filled } = current;
    digester.advance(buffer, filled);
    this.#current = undefined;
    this.partsStarted += 1;
    const part = { number: this.partsStarted, body: buffer.subarray(0, filled), digests: digester.result() };
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

/** Allocates (partsInFlight + 1) buffers, each when it is first needed. */
export const createPartWriter = (options: PartWriterOptions): PartWriter => new PooledPartWriter(options);

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
import type { ByteSink } from './byte-sink.ts';
import type { PartChecksum } from './providers.ts';

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
  readonly send: (part: FilledPart) => Promise<void>;
}

export interface PartWriter extends ByteSink {
  readonly bytesWritten: number;
  readonly partsStarted: number;
  /** Sends what is left and waits for every part. */
  finish(): Promise<void>;
  /** Resolves when no part is on its way any more, however they ended. */
  settled(): Promise<void>;
}

/** Bytes that are summed at a time: small enough to be in the processor's cache still. */
const DIGEST_STRIDE = 256 * 1024;

interface Digester {
  /** Sums the buffer's bytes up to `end`. */
  advance(buffer: Buffer, end: number): void;
  result(): PartDigests;
}

const createDigester = (checksum: PartChecksum): Digester => {
  let summed = 0;
  let crc = 0;
  const hash: Hash | undefined = checksum === 'md5' ? createHash('md5') : undefined;
  return {
    advance: (buffer, end) => {
      const bytes = buffer.subarray(summed, end);
      if (hash) hash.update(bytes);
      else crc = crc32(bytes, crc);
      summed = end;
    },
    result: () => (hash ? { kind: 'md5', md5: hash.digest() } : { kind: 'crc32', crc32: crc }),
  };
};

/** Allocates (partsInFlight + 1) buffers, each when it is first needed. */
export const createPartWriter = (options: PartWriterOptions): PartWriter => {
  const { partSizeBytes, partsInFlight, checksum } = options;
  const free: Buffer[] = [];
  const inFlight = new Set<Promise<void>>();
  let allocated = 0;
  let freed = Promise.withResolvers<void>();
  let failure: Error | undefined;
  let current: Buffer | undefined;
  let filled = 0;
  let summed = 0;
  let digester = createDigester(checksum);
  let bytesWritten = 0;
  let partsStarted = 0;

  const takeBuffer = (): Buffer | undefined => {
    const reused = free.pop();
    if (reused || allocated > partsInFlight) return reused;
    allocated += 1;
    return Buffer.allocUnsafeSlow(partSizeBytes);
  };

  const sendCurrent = (buffer: Buffer): void => {
    digester.advance(buffer, filled);
    partsStarted += 1;
    const part: FilledPart = {
      number: partsStarted,
      body: buffer.subarray(0, filled),
      digests: digester.result(),
    };
    const transfer = async (): Promise<void> => {
      try {
        await options.send(part);
      } catch (error) {
        failure ??= toError(error);
      } finally {
        free.push(buffer);
        inFlight.delete(sent);
        freed.resolve();
        freed = Promise.withResolvers<void>();
      }
    };
    const sent = transfer();
    inFlight.add(sent);
    current = undefined;
    filled = 0;
    summed = 0;
    digester = createDigester(checksum);
  };

  /** Copies until the chunk is used up or no buffer is free; answers how much was copied. */
  const copy = (chunk: Uint8Array, from: number): number => {
    let at = from;
    while (at < chunk.length) {
      current ??= takeBuffer();
      if (!current) return at;
      const piece = Math.min(partSizeBytes - filled, chunk.length - at);
      current.set(piece === chunk.length ? chunk : chunk.subarray(at, at + piece), filled);
      filled += piece;
      at += piece;
      if (filled - summed >= DIGEST_STRIDE) {
        digester.advance(current, filled);
        summed = filled;
      }
      if (filled === partSizeBytes) sendCurrent(current);
    }
    return at;
  };

  const copyWaiting = async (chunk: Uint8Array, from: number): Promise<void> => {
    for (let at = from; at < chunk.length; ) {
      await freed.promise;
      if (failure) throw failure;
      at = copy(chunk, at);
    }
  };

  const settled = async (): Promise<void> => {
    while (inFlight.size > 0) await Promise.all(inFlight);
  };

  return {
    get bytesWritten() {
      return bytesWritten;
    },
    get partsStarted() {
      return partsStarted;
    },
    write: (chunk) => {
      if (failure) return Promise.reject(failure);
      bytesWritten += chunk.length;
      const copied = copy(chunk, 0);
      return copied === chunk.length ? undefined : copyWaiting(chunk, copied);
    },
    finish: async () => {
      if (filled > 0 && current) sendCurrent(current);
      await settled();
      if (failure) throw failure;
    },
    settled,
  };
};

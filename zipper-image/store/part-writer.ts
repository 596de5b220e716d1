/**
 * Makes the parts of an upload in a fixed set of buffers.
 *
 * A part takes a buffer when its first byte is planned, so parts take buffers in order. Its bytes are written in order, or
 * reserved and filled later, in any order. A part whose bytes are all there is sent, and its buffer is used again when the store
 * has confirmed it. Buffers are allocated once, so memory does not depend on how the bytes arrive. When no buffer is free, the
 * writer waits. This is the only place where a slow store slows down the sources.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { toError } from '#runtime/errors.ts';
import type { ArchiveSink, Place } from '../byte-sink.ts';
import { COMBINED_BYTES, combineCrc32 } from '../crc32-combine.ts';
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
  /** Receives all bytes in order. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined;
  readonly send: (part: FilledPart) => Promise<void>;
}

export interface PartWriter extends ArchiveSink {
  /** Bytes that were written or reserved. */
  readonly bytesWritten: number;
  readonly partsStarted: number;
  /** Number of allocated buffers, at most partsInFlight + 1. */
  readonly buffersAllocated: number;
  /** Sends the last part and waits for every part. Every place must have been filled. */
  finish(): Promise<void>;
  /** Resolves when no part is being sent, whether the parts succeeded or failed. */
  finished(): Promise<void>;
}

/** Bytes next to each other with one CRC-32. */
interface Piece {
  bytes: number;
  crc: number;
  readonly isPlace: boolean;
}

interface PartOwner {
  readonly checksum: PartChecksum;
  /** All bytes of the part are there. */
  onWhole(part: Part): void;
  /** Its buffer may be free now. */
  onChange(part: Part): void;
}

/** One part, from its first byte until its buffer is used again. */
class Part {
  readonly number: number;
  readonly buffer: Buffer;
  /** Written or reserved. */
  planned = 0;
  isSent = false;
  isRead = false;
  readonly #owner: PartOwner;
  readonly #pieces: Piece[] = [];
  #missing = 0;
  #kept = 0;
  #isSealed = false;

  constructor(number: number, buffer: Buffer, owner: PartOwner) {
    this.number = number;
    this.buffer = buffer;
    this.#owner = owner;
  }

  get room(): number {
    return this.buffer.length - this.planned;
  }

  get isWhole(): boolean {
    return this.#isSealed && this.#missing === 0;
  }

  /** Nobody needs its buffer any more. */
  get isDone(): boolean {
    return this.isSent && this.isRead && this.#kept === 0;
  }

  get body(): Buffer {
    return this.buffer.subarray(0, this.planned);
  }

  append(chunk: Uint8Array, crc: number | undefined): void {
    this.buffer.set(chunk, this.planned);
    this.planned += chunk.length;
    if (this.#owner.checksum === 'md5') return;
    const piece = this.#lastWritten();
    piece.crc =
      crc !== undefined && chunk.length >= COMBINED_BYTES
        ? combineCrc32(piece.crc, crc, chunk.length)
        : crc32(chunk, piece.crc);
    piece.bytes += chunk.length;
  }

  reserve(bytes: number): Place {
    const place: Piece = { bytes, crc: 0, isPlace: true };
    this.#pieces.push(place);
    this.#missing += 1;
    const from = this.planned;
    this.planned += bytes;
    return {
      bytes: this.buffer.subarray(from, this.planned),
      filled: (crc) => {
        place.crc = crc;
        this.#missing -= 1;
        this.#checkWhole();
      },
      keep: () => {
        this.#kept += 1;
        return () => {
          this.#kept -= 1;
          this.#owner.onChange(this);
        };
      },
    };
  }

  /** Nothing is planned in it any more. */
  seal(): void {
    this.#isSealed = true;
    this.#checkWhole();
  }

  digests(): PartDigests {
    if (this.#owner.checksum === 'md5')
      return { kind: 'md5', md5: createHash('md5').update(this.body).digest() };
    const whole = this.#pieces.reduce((crc, piece) => combineCrc32(crc, piece.crc, piece.bytes), 0);
    return { kind: 'crc32', crc32: whole };
  }

  #checkWhole(): void {
    if (this.isWhole) this.#owner.onWhole(this);
  }

  #lastWritten(): Piece {
    const last = this.#pieces.at(-1);
    if (last && !last.isPlace) return last;
    const piece: Piece = { bytes: 0, crc: 0, isPlace: false };
    this.#pieces.push(piece);
    return piece;
  }
}

class PooledPartWriter implements PartWriter, PartOwner {
  readonly #options: PartWriterOptions;
  readonly checksum: PartChecksum;
  readonly #free: Buffer[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  /** In order: those whose bytes `onBytes` has not received yet. */
  readonly #unread: Part[] = [];
  #allocated = 0;
  #changed = Promise.withResolvers<void>();
  #failure: Error | undefined;
  #current: Part | undefined;
  bytesWritten = 0;
  partsStarted = 0;

  constructor(options: PartWriterOptions) {
    this.#options = options;
    this.checksum = options.checksum;
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

  async reserve(most: number): Promise<Place> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const part = this.#partWithRoom();
      if (part) return this.#reserveIn(part, Math.min(most, part.room));
      await this.#changed.promise;
    }
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#change();
  }

  async finish(): Promise<void> {
    const last = this.#current;
    this.#current = undefined;
    last?.seal();
    await this.finished();
    if (this.#failure) throw this.#failure;
  }

  async finished(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  onWhole(part: Part): void {
    if (this.#failure) return;
    const sent = this.#send(part).finally(() => this.#inFlight.delete(sent));
    this.#inFlight.add(sent);
    this.#readInOrder();
  }

  onChange({ isDone, buffer }: Part): void {
    if (!isDone) return;
    this.#free.push(buffer);
    this.#change();
  }

  #reserveIn(part: Part, bytes: number): Place {
    this.bytesWritten += bytes;
    const place = part.reserve(bytes);
    this.#sealIfFull(part);
    return place;
  }

  /** Copies until the chunk is consumed or no buffer is free. Returns the new position. */
  #copy(chunk: Uint8Array, from: number, crc: number | undefined): number {
    for (let at = from; at < chunk.length; ) {
      const part = this.#partWithRoom();
      if (!part) return at;
      const bytes = Math.min(part.room, chunk.length - at);
      if (bytes === chunk.length) part.append(chunk, crc);
      else part.append(chunk.subarray(at, at + bytes), undefined);
      at += bytes;
      this.#sealIfFull(part);
    }
    return chunk.length;
  }

  async #copyWaiting(chunk: Uint8Array, from: number, crc: number | undefined): Promise<void> {
    for (let at = from; at < chunk.length; ) {
      await this.#changed.promise;
      if (this.#failure) throw this.#failure;
      at = this.#copy(chunk, at, crc);
    }
  }

  #partWithRoom(): Part | undefined {
    this.#current ??= this.#startPart();
    return this.#current;
  }

  #startPart(): Part | undefined {
    const buffer = this.#free.pop() ?? this.#allocate();
    if (!buffer) return undefined;
    this.partsStarted += 1;
    const part = new Part(this.partsStarted, buffer, this);
    if (this.#options.onBytes) this.#unread.push(part);
    else part.isRead = true;
    return part;
  }

  #allocate(): Buffer | undefined {
    if (this.#allocated > this.#options.partsInFlight) return undefined;
    this.#allocated += 1;
    return Buffer.allocUnsafeSlow(this.#options.partSizeBytes);
  }

  #sealIfFull(part: Part): void {
    if (part.room > 0) return;
    this.#current = undefined;
    part.seal();
  }

  #readInOrder(): void {
    for (let first = this.#unread[0]; first?.isWhole === true; first = this.#unread[0]) {
      this.#options.onBytes?.(first.body);
      this.#unread.shift();
      first.isRead = true;
      this.onChange(first);
    }
  }

  async #send(part: Part): Promise<void> {
    const { number, body } = part;
    try {
      await this.#options.send({ number, body, digests: part.digests() });
    } catch (error) {
      this.fail(toError(error));
    }
    part.isSent = true;
    this.onChange(part);
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

/** Allocates at most partsInFlight + 1 buffers, each when it is first needed. */
export function createPartWriter(options: PartWriterOptions): PartWriter {
  return new PooledPartWriter(options);
}

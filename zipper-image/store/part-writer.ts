/**
 * Makes the parts of an upload in a fixed set of blocks of memory.
 *
 * A part takes a block when its first byte in it is planned, so parts take blocks in order. Its bytes are written in order, or
 * reserved and filled later, in any order. A part whose bytes are all there is sent, and its blocks are used again when the store
 * has confirmed it. Blocks are allocated once, so memory does not depend on how the bytes arrive. When no block is free, the
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
  readonly bytes: number;
  /** The bytes in order. Valid until `send` completes. Then the memory is reused. */
  readonly body: readonly Buffer[];
  readonly digests: PartDigests;
}

export interface PartWriterOptions {
  /** Bytes of a part, by its number. Only the last one may be smaller. */
  readonly partBytes: (number: number) => number;
  /** Bytes of one block. */
  readonly blockBytes: number;
  /** Bytes of all blocks, at least those of the blocks of one part. */
  readonly poolBytes: number;
  readonly checksum: PartChecksum;
  /** Receives all bytes in order. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined;
  readonly send: (part: FilledPart) => Promise<void>;
}

export interface PartWriter extends ArchiveSink {
  /** Bytes that were written or reserved. */
  readonly bytesWritten: number;
  readonly partsStarted: number;
  /** Number of allocated blocks. */
  readonly blocksAllocated: number;
  /** How long parts that the store had confirmed kept their memory until `onBytes` had received it, all together. */
  readonly turnWaitMs: number;
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
  /** Its blocks may be free now. */
  onChange(part: Part): void;
}

interface PartMeasures {
  readonly size: number;
  readonly blockBytes: number;
}

/** One part, from its first byte until its blocks are used again. */
class Part {
  readonly number: number;
  readonly #size: number;
  readonly #blockBytes: number;
  readonly blocks: Buffer[] = [];
  /** Bytes that were written or reserved. */
  planned = 0;
  isSent = false;
  /** In ms of performance.now(). */
  sentAt = 0;
  isRead = false;
  readonly #owner: PartOwner;
  readonly #pieces: Piece[] = [];
  #missing = 0;
  #kept = 0;
  #isSealed = false;

  constructor(number: number, { size, blockBytes }: PartMeasures, owner: PartOwner) {
    this.number = number;
    this.#size = size;
    this.#blockBytes = blockBytes;
    this.#owner = owner;
  }

  /** Bytes that can be planned without another block. */
  get room(): number {
    return Math.min(this.blocks.length * this.#blockBytes, this.#size) - this.planned;
  }

  get isFull(): boolean {
    return this.planned === this.#size;
  }

  get isWhole(): boolean {
    return this.#isSealed && this.#missing === 0;
  }

  /** Nobody needs its blocks any more. */
  get isDone(): boolean {
    return this.isSent && this.isRead && this.#kept === 0;
  }

  get body(): readonly Buffer[] {
    return this.blocks.with(-1, this.#lastBlock().subarray(0, this.#plannedInLast));
  }

  extend(block: Buffer): void {
    this.blocks.push(block);
  }

  append(chunk: Uint8Array, crc: number | undefined): void {
    this.#plan(chunk.length).set(chunk);
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
    return {
      bytes: this.#plan(bytes),
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
    if (this.#owner.checksum === 'md5') {
      const md5 = createHash('md5');
      for (const bytes of this.body) md5.update(bytes);
      return { kind: 'md5', md5: md5.digest() };
    }
    const whole = this.#pieces.reduce((crc, piece) => combineCrc32(crc, piece.crc, piece.bytes), 0);
    return { kind: 'crc32', crc32: whole };
  }

  #checkWhole(): void {
    if (this.isWhole) this.#owner.onWhole(this);
  }

  /** Planned bytes of the last block. */
  get #plannedInLast(): number {
    return this.planned - (this.blocks.length - 1) * this.#blockBytes;
  }

  #lastBlock(): Buffer {
    const block = this.blocks.at(-1);
    if (!block) throw new RangeError(`part ${this.number} has no memory`);
    return block;
  }

  #plan(bytes: number): Buffer {
    const from = this.#plannedInLast;
    this.planned += bytes;
    return this.#lastBlock().subarray(from, from + bytes);
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
  turnWaitMs = 0;

  constructor(options: PartWriterOptions) {
    this.#options = options;
    this.checksum = options.checksum;
  }

  get blocksAllocated(): number {
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

  onChange({ isDone, blocks }: Part): void {
    if (!isDone) return;
    this.#free.push(...blocks);
    this.#change();
  }

  #reserveIn(part: Part, bytes: number): Place {
    this.bytesWritten += bytes;
    const place = part.reserve(bytes);
    this.#sealIfFull(part);
    return place;
  }

  /** Copies until the chunk is consumed or no block is free. Returns the new position. */
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
    const part = this.#current;
    if (part.room > 0) return part;
    const block = this.#free.pop() ?? this.#allocate();
    if (!block) return undefined;
    part.extend(block);
    return part;
  }

  #startPart(): Part {
    const { partBytes, blockBytes, onBytes } = this.#options;
    const number = this.partsStarted + 1;
    this.partsStarted = number;
    const part = new Part(number, { size: partBytes(number), blockBytes }, this);
    if (onBytes) this.#unread.push(part);
    else part.isRead = true;
    return part;
  }

  #allocate(): Buffer | undefined {
    const { blockBytes, poolBytes } = this.#options;
    if ((this.#allocated + 1) * blockBytes > poolBytes) return undefined;
    this.#allocated += 1;
    return Buffer.allocUnsafeSlow(blockBytes);
  }

  #sealIfFull(part: Part): void {
    if (!part.isFull) return;
    this.#current = undefined;
    part.seal();
  }

  #readInOrder(): void {
    for (let first = this.#unread[0]; first?.isWhole === true; first = this.#unread[0]) {
      for (const bytes of first.body) this.#options.onBytes?.(bytes);
      this.#unread.shift();
      first.isRead = true;
      if (first.isSent) this.turnWaitMs += performance.now() - first.sentAt;
      this.onChange(first);
    }
  }

  async #send(part: Part): Promise<void> {
    const { number, planned: bytes, body } = part;
    try {
      await this.#options.send({ number, bytes, body, digests: part.digests() });
    } catch (error) {
      this.fail(toError(error));
    }
    part.isSent = true;
    part.sentAt = performance.now();
    this.onChange(part);
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

/** Allocates each block when it is first needed. */
export function createPartWriter(options: PartWriterOptions): PartWriter {
  return new PooledPartWriter(options);
}

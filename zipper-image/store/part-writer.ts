/**
 * Makes the parts of an upload in a fixed set of blocks of memory.
 *
 * A part takes a block when its first byte in it is planned, so parts take blocks in order. Its bytes are written in order, or
 * reserved and filled later, in any order. A part whose bytes are all there is sent, and its blocks are used again when the store
 * has confirmed it. Blocks are allocated once, so memory does not depend on how the bytes arrive. When no block is free, the
 * writer waits. This is the only place where a slow store slows down the sources. A part that the store has from an earlier process
 * takes no block.
 */
import { toError } from '#runtime/errors.ts';
import type { ArchiveSink, Place } from '../byte-sink.ts';
import { layoutChanged } from '../layout-changed.ts';
import { Part, type PartDigests, type PartOwner } from './part.ts';
import type { PartChecksum } from './store-capabilities.ts';

/** Several blocks are allocated at a time: the allocator maps large memory by itself, so that it leaves no holes between other memory. */
const SLAB_BYTES = 8 * 1024 ** 2;

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
  /** Parts that the store has: their bytes are counted and dropped. */
  readonly kept?: ReadonlyMap<number, { readonly bytes: number }> | undefined;
  /** Receives all bytes in order, which is impossible with `kept`. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined;
  readonly send: (part: FilledPart) => Promise<void>;
}

export interface PartWriter extends ArchiveSink {
  /** Bytes that were written, reserved or left out. */
  readonly bytesWritten: number;
  /** Kept ones too. */
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

class PooledPartWriter implements PartWriter, PartOwner {
  readonly #options: PartWriterOptions;
  readonly checksum: PartChecksum;
  /** Number of the last kept part; 0 if there is none. */
  readonly #lastKept: number;
  readonly #free: Buffer[] = [];
  /** Of the last allocation: what is not in a block yet. */
  #unused = Buffer.alloc(0);
  readonly #inFlight = new Set<Promise<void>>();
  /** In order: those whose bytes `onBytes` has not received yet. */
  readonly #unread: Part[] = [];
  #allocated = 0;
  #changed = Promise.withResolvers<void>();
  #failure: Error | undefined;
  /** The part of the next byte, unless that part is kept or has not started. */
  #current: Part | undefined;
  /** Bytes from the next one on to the end of its part, if that part is kept and has started. */
  #keptLeft = 0;
  bytesWritten = 0;
  partsStarted = 0;
  turnWaitMs = 0;

  constructor(options: PartWriterOptions) {
    const { kept, onBytes, partBytes } = options;
    if (kept && onBytes) throw new TypeError('the bytes of kept parts cannot be read');
    for (const [number, { bytes }] of kept ?? [])
      if (bytes !== partBytes(number))
        throw new RangeError(`part ${number} with ${bytes} bytes cannot be kept`);
    this.#options = options;
    this.#lastKept = Math.max(0, ...(kept?.keys() ?? []));
    this.checksum = options.checksum;
  }

  get blocksAllocated(): number {
    return this.#allocated;
  }

  write(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure);
    this.bytesWritten += chunk.length;
    const copied = this.#copy(chunk, 0);
    return copied === chunk.length ? undefined : this.#copyWaiting(chunk, copied);
  }

  async reserve(most: number): Promise<readonly Place[]> {
    if (this.#failure) throw this.#failure;
    const bytes = this.#freshUpTo(most);
    if (bytes === 0) throw this.#failed(layoutChanged());
    await this.#untilMemoryFor(bytes);
    const places: Place[] = [];
    for (let left = bytes; left > 0; left -= places.at(-1)?.bytes.length ?? 0) {
      const part = this.#partWithRoom();
      if (!part) break;
      places.push(this.#reserveIn(part, Math.min(left, part.room)));
    }
    return places;
  }

  get nextPart(): number {
    return this.#current || this.#keptLeft > 0 ? this.partsStarted : this.partsStarted + 1;
  }

  get leastPartBytes(): number {
    return this.#options.partBytes(1);
  }

  keptAhead(): number {
    if (this.#current || this.#keptLeft > 0) return this.#keptLeft;
    const { kept, partBytes } = this.#options;
    const next = this.partsStarted + 1;
    return kept?.has(next) === true ? partBytes(next) : 0;
  }

  freshAhead(): number {
    return this.#freshUpTo(Infinity);
  }

  skip(bytes: number): void {
    if (this.#failure) throw this.#failure;
    for (let left = bytes; left > 0; ) {
      const kept = this.keptAhead();
      if (kept === 0) throw this.#failed(layoutChanged());
      if (this.#keptLeft === 0) this.partsStarted += 1;
      const skipped = Math.min(kept, left);
      this.#keptLeft = kept - skipped;
      this.bytesWritten += skipped;
      left -= skipped;
    }
  }

  async rewrite(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const kept = Math.min(this.keptAhead(), chunk.length - at);
      // Up to the end of the part, because the next one may be kept.
      const most = this.#current?.rest ?? this.#options.partBytes(this.nextPart);
      const to = kept > 0 ? at + kept : Math.min(at + most, chunk.length);
      if (kept > 0) this.skip(kept);
      else await this.write(chunk.subarray(at, to));
      at = to;
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

  /** How many bytes, at most so many, are to be made before the next kept part. */
  #freshUpTo(most: number): number {
    if (this.keptAhead() > 0) return 0;
    const { kept, partBytes } = this.#options;
    let ahead = this.#current?.rest ?? 0;
    for (let number = this.partsStarted + 1; number <= this.#lastKept && ahead < most; number += 1) {
      if (kept?.has(number) === true) return ahead;
      ahead += partBytes(number);
    }
    return most;
  }

  /** Waits for the memory of the next bytes, or until no other part can free any. */
  async #untilMemoryFor(bytes: number): Promise<void> {
    while (this.#blocksNeeded(bytes) > this.#blocksLeft && !this.#isAlone) {
      await this.#changed.promise;
      if (this.#failure) throw this.#failure;
    }
  }

  /** Blocks that the next bytes need besides those that the current part has. */
  #blocksNeeded(bytes: number): number {
    const { partBytes, blockBytes } = this.#options;
    const { room = 0, rest = 0 } = this.#current ?? {};
    let left = bytes - room;
    let blocks = 0;
    for (let [number, size] = [this.partsStarted, rest - room]; left > 0; size = partBytes(number)) {
      blocks += Math.ceil(Math.min(left, size) / blockBytes);
      left -= size;
      number += 1;
    }
    return blocks;
  }

  /** Blocks that no part has. */
  get #blocksLeft(): number {
    const { blockBytes, poolBytes } = this.#options;
    return this.#free.length + Math.floor(poolBytes / blockBytes) - this.#allocated;
  }

  /** No part but the current one has blocks, so none become free. */
  get #isAlone(): boolean {
    return this.#allocated === this.#free.length + (this.#current?.blocks.length ?? 0);
  }

  #reserveIn(part: Part, bytes: number): Place {
    this.bytesWritten += bytes;
    const place = part.reserve(bytes);
    this.#sealIfFull(part);
    return place;
  }

  /** Copies until the chunk is consumed or no block is free. Returns the new position. */
  #copy(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; ) {
      const part = this.#partWithRoom();
      if (!part) return at;
      const piece = chunk.subarray(at, at + part.room);
      part.copy(piece);
      at += piece.length;
      this.#sealIfFull(part);
    }
    return chunk.length;
  }

  async #copyWaiting(chunk: Uint8Array, from: number): Promise<void> {
    for (let at = from; at < chunk.length; ) {
      await this.#changed.promise;
      if (this.#failure) throw this.#failure;
      at = this.#copy(chunk, at);
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
    if (this.keptAhead() > 0) throw this.#failed(layoutChanged());
    const number = this.partsStarted + 1;
    this.partsStarted = number;
    const part = new Part(number, { size: partBytes(number), blockBytes }, this);
    if (onBytes) this.#unread.push(part);
    else part.isRead = true;
    return part;
  }

  #allocate(): Buffer | undefined {
    const { blockBytes, poolBytes } = this.#options;
    const from = this.#allocated * blockBytes;
    if (from + blockBytes > poolBytes) return undefined;
    this.#allocated += 1;
    if (this.#unused.length < blockBytes)
      this.#unused = Buffer.allocUnsafeSlow(Math.max(blockBytes, Math.min(SLAB_BYTES, poolBytes - from)));
    const block = this.#unused.subarray(0, blockBytes);
    this.#unused = this.#unused.subarray(blockBytes);
    return block;
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

  #failed(error: Error): Error {
    this.fail(error);
    return error;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

/** Allocates blocks when they are first needed. */
export function createPartWriter(options: PartWriterOptions): PartWriter {
  return new PooledPartWriter(options);
}

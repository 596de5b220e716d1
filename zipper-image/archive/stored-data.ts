/**
 * The data of an entry whose length is known and that is not compressed, as stored blocks of deflate: all blocks except the last
 * are 65,535 bytes, so the place of every byte of the source follows from its position. The data is cut into slices, which are
 * filled in any order, each from its first byte on.
 */
import type { Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { OpenSlice, Place, SliceTarget } from '../byte-sink.ts';
import { COMBINED_BYTES, combineCrc32 } from '../crc32-combine.ts';

export const BLOCK_BYTES = 65_535;
export const HEADER_BYTES = 5;
const CODED_BYTES = HEADER_BYTES + BLOCK_BYTES;

/** Size of `length` bytes as stored blocks. */
export function storedBlocksSize(length: number): number {
  return length + HEADER_BYTES * Math.max(1, Math.ceil(length / BLOCK_BYTES));
}

/** The position in the source of the first byte at or behind a position in the coded data. */
function sourcePosition(coded: number, length: number): number {
  const inside = Math.max(0, (coded % CODED_BYTES) - HEADER_BYTES);
  return Math.min(length, Math.floor(coded / CODED_BYTES) * BLOCK_BYTES + inside);
}

export function writeBlockHeader(header: Buffer, length: number, isLast: boolean): Buffer {
  header.writeUInt8(isLast ? 1 : 0, 0);
  header.writeUInt16LE(length, 1);
  header.writeUInt16LE(length ^ 0xffff, 3);
  return header;
}

interface SliceOptions {
  /** Position in the coded data. */
  readonly start: number;
  /** Bytes of the source. */
  readonly length: number;
  readonly onFull: (slice: Slice) => void;
}

/** Bytes next to each other of the coded data, in one place of the archive. */
class Slice implements OpenSlice {
  /** The bytes of the source that it contains, which can be none. */
  readonly from: number;
  readonly to: number;
  /** CRC-32 of its bytes of the source so far. */
  crc = 0;
  isTaken = false;
  position: number;
  readonly #place: Place;
  readonly #length: number;
  readonly #start: number;
  readonly #onFull: (slice: Slice) => void;
  #filled = 0;
  #codedCrc = 0;

  constructor(place: Place, { start, length, onFull }: SliceOptions) {
    this.#place = place;
    this.#length = length;
    this.#start = start;
    this.#onFull = onFull;
    this.from = sourcePosition(start, length);
    this.to = sourcePosition(start + place.bytes.length, length);
    this.position = this.from;
    this.#writeHeader();
  }

  get isFull(): boolean {
    return this.#filled === this.#place.bytes.length;
  }

  write(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && !this.isFull) {
      const left = CODED_BYTES - ((this.#start + this.#filled) % CODED_BYTES);
      const bytes = Math.min(left, chunk.length - at, this.to - this.position);
      this.#writeData(bytes === chunk.length ? chunk : chunk.subarray(at, at + bytes));
      at += bytes;
      this.#writeHeader();
    }
    if (this.isFull) this.#onFull(this);
    return at - from;
  }

  /** Passes the slice on to its part. The returned function passes its bytes of the source on to the hash. */
  finish(hash: Hash | undefined): () => void {
    const release = hash && this.#place.keep();
    this.#place.filled(this.#codedCrc);
    return () => {
      if (hash) this.#hashData(hash);
      release?.();
    };
  }

  #writeData(data: Uint8Array): void {
    this.#place.bytes.set(data, this.#filled);
    this.#filled += data.length;
    this.position += data.length;
    if (data.length < COMBINED_BYTES) {
      this.crc = crc32(data, this.crc);
      this.#codedCrc = crc32(data, this.#codedCrc);
      return;
    }
    const crc = crc32(data);
    this.crc = combineCrc32(this.crc, crc, data.length);
    this.#codedCrc = combineCrc32(this.#codedCrc, crc, data.length);
  }

  /** Writes the header of the next block, or the part of it that is in this slice, if it is next. */
  #writeHeader(): void {
    const coded = this.#start + this.#filled;
    const inside = coded % CODED_BYTES;
    if (inside >= HEADER_BYTES || this.isFull) return;
    const at = Math.floor(coded / CODED_BYTES) * BLOCK_BYTES;
    const bytes = Math.min(BLOCK_BYTES, this.#length - at);
    const header = writeBlockHeader(Buffer.alloc(HEADER_BYTES), bytes, at + bytes === this.#length);
    const room = this.#place.bytes.length - this.#filled;
    const part = header.subarray(inside, inside + room);
    this.#place.bytes.set(part, this.#filled);
    this.#filled += part.length;
    this.#codedCrc = crc32(part, this.#codedCrc);
  }

  #hashData(hash: Hash): void {
    const { bytes } = this.#place;
    for (let at = 0; at < bytes.length; ) {
      const inside = (this.#start + at) % CODED_BYTES;
      const end = Math.min(bytes.length, at + CODED_BYTES - inside);
      hash.update(bytes.subarray(Math.min(end, at + Math.max(0, HEADER_BYTES - inside)), end));
      at = end;
    }
  }
}

function isFree({ isTaken }: Slice): boolean {
  return !isTaken;
}

function taken(slice: Slice | undefined): Slice | undefined {
  if (slice) slice.isTaken = true;
  return slice;
}

/** The slices of one entry, in order. */
export class StoredData implements SliceTarget {
  /** Bytes as stored blocks. */
  readonly codedBytes: number;
  /** CRC-32 of all bytes of the source before `#done`. */
  crc = 0;
  readonly length: number;
  readonly #hash: Hash | undefined;
  /** Those that have a place and are not full, in order. */
  #open: Slice[] = [];
  /** Full slices behind one that is not, by the position of their first byte. */
  readonly #later = new Map<number, { readonly slice: Slice; readonly read: () => void }>();
  #planned = 0;
  #done = 0;
  #changed = Promise.withResolvers<void>();

  /** `hash` receives all bytes of the source in order. */
  constructor(length: number, hash?: Hash) {
    this.length = length;
    this.#hash = hash;
    this.codedBytes = storedBlocksSize(length);
  }

  /** Bytes that have no place yet. */
  get unplanned(): number {
    return this.codedBytes - this.#planned;
  }

  get hasFree(): boolean {
    return this.#open.some(isFree);
  }

  get isComplete(): boolean {
    return this.unplanned === 0 && this.#open.length === 0;
  }

  /** Adds the place of the next slice. */
  plan(place: Place): void {
    const { length } = this;
    const slice = new Slice(place, { start: this.#planned, length, onFull: (full) => this.#finish(full) });
    this.#planned += place.bytes.length;
    // It can have a part of a header only.
    if (slice.isFull) slice.finish(undefined)();
    else this.#open.push(slice);
    this.wake();
  }

  take(): OpenSlice | undefined {
    return taken(this.#open.find(isFree));
  }

  takeLast(): OpenSlice | undefined {
    return taken(this.#open.findLast(isFree));
  }

  takeAt(position: number): OpenSlice | undefined {
    return taken(this.#open.find((slice) => isFree(slice) && slice.position === position));
  }

  giveBack(given: OpenSlice): void {
    const slice = this.#open.find((open) => open === given);
    if (slice) slice.isTaken = false;
    this.wake();
  }

  isTaken(at: number): boolean {
    const isOpen = this.#open.some(({ isTaken, position, to }) => !isTaken && position <= at && at < to);
    return !isOpen && at < sourcePosition(this.#planned, this.length);
  }

  skippedTo(at: number): number {
    return at;
  }

  changed(): Promise<void> {
    return this.#changed.promise;
  }

  wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Writes the next bytes of the source, for its only reader. Waits until they have a place. */
  write(chunk: Uint8Array): Promise<void> | undefined {
    const at = this.#fill(chunk, 0);
    return at === chunk.length ? undefined : this.#fillWaiting(chunk, at);
  }

  #fill(chunk: Uint8Array, from: number): number {
    let at = from;
    for (let slice = this.#open[0]; slice && at < chunk.length; slice = this.#open[0])
      at += slice.write(chunk, at);
    return at;
  }

  async #fillWaiting(chunk: Uint8Array, from: number): Promise<void> {
    for (let at = from; at < chunk.length; at = this.#fill(chunk, at)) await this.changed();
  }

  #finish(slice: Slice): void {
    this.#open = this.#open.filter((open) => open !== slice);
    this.#later.set(slice.from, { slice, read: slice.finish(this.#hash) });
    for (let next = this.#later.get(this.#done); next; next = this.#later.get(this.#done)) {
      const { from, to, crc } = next.slice;
      this.#later.delete(from);
      next.read();
      this.crc = combineCrc32(this.crc, crc, to - from);
      this.#done = to;
    }
    if (this.isComplete) this.wake();
  }
}

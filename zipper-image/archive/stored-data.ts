/**
 * The data of an entry whose length is known and that is not compressed: as it is if the CRC-32 is known too, or else as stored blocks
 * of deflate, of which all except the last are 65,535 bytes. So the place of every byte of the source follows from its position. The
 * data is cut into slices, which are filled in any order, each from its first byte on. What an earlier process has uploaded of it is
 * left out.
 */
import type { Hash } from 'node:crypto';
import type { OpenSlice, Place, SliceTarget } from '../byte-sink.ts';
import { combineCrc32 } from '../crc32-combine.ts';
import type { EntrySegment } from '../resume/types.ts';
import { EntrySegments, type Segment } from './entry-segments.ts';
import { Slice } from './slice.ts';
import { SlicePiece } from './slice-piece.ts';
import { type Framing, framedSize, sourcePosition } from './stored-blocks.ts';

function isFree({ isTaken }: Slice): boolean {
  return !isTaken;
}

function isOpen({ isFull }: SlicePiece | Slice): boolean {
  return !isFull;
}

function taken(slice: Slice | undefined): Slice | undefined {
  if (slice) slice.isTaken = true;
  return slice;
}

/** Bytes of the source next to each other that are there, and not read yet. */
interface Later {
  readonly to: number;
  /** Undefined if an earlier process has recorded only that of the whole source. */
  readonly crc: number | undefined;
  readonly read: () => void;
}

interface Skipped {
  readonly from: number;
  to: number;
}

function addCrc(first: number | undefined, second: number | undefined, bytes: number): number | undefined {
  return first === undefined || second === undefined ? undefined : combineCrc32(first, second, bytes);
}

function readNothing(): void {}

export interface StoredDataOptions {
  /** Default `blocks`. */
  readonly framing?: Framing;
  /** Receives all bytes of the source in order. */
  readonly hash?: Hash | undefined;
  /** Segments of an earlier process. */
  readonly recorded?: readonly EntrySegment[] | undefined;
}

/** The slices of one entry, in order. */
export class StoredData implements SliceTarget {
  /** Bytes in the archive. */
  readonly codedBytes: number;
  readonly length: number;
  readonly #framing: Framing;
  readonly #hash: Hash | undefined;
  /** Those that have a place and are not full, in order. */
  #open: Slice[] = [];
  /** Full pieces behind one that is not, by the position of their first byte. */
  readonly #later = new Map<number, Later>();
  readonly #segments: EntrySegments;
  /** What an earlier process has uploaded, in order. */
  readonly #skipped: Skipped[] = [];
  #planned = 0;
  #done = 0;
  /** CRC-32 of all bytes of the source before `#done`; undefined if that of any of them is not known. */
  #crc: number | undefined = 0;
  /** Position of the next byte of `write`. */
  #written = 0;
  #changed = Promise.withResolvers<void>();

  constructor(length: number, { framing = 'blocks', hash, recorded = [] }: StoredDataOptions = {}) {
    this.length = length;
    this.#framing = framing;
    this.#hash = hash;
    this.#segments = new EntrySegments(recorded);
    this.codedBytes = framedSize(length, framing);
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

  /** CRC-32 of the source, when it is complete. @throws Error if that of a part that was left out is not recorded */
  wholeCrc(): number {
    if (this.#crc === undefined) throw new Error('the record of an entry lacks the CRC-32 of a kept part');
    return this.#crc;
  }

  /** Adds the places of the next slice, in order. */
  plan(places: readonly Place[]): void {
    // One can have a part of a header only.
    const pieces = places.map((place) => this.#planPiece(place)).filter(isOpen);
    if (pieces.length > 0) this.#open.push(new Slice(pieces, (full) => this.#close(full)));
    this.wake();
  }

  /** Leaves out bytes of the coded data that an earlier process has uploaded, up to the end of the part. */
  skip(bytes: number, part: number): void {
    const from = this.#sourcePosition(this.#planned);
    this.#planned += bytes;
    const to = this.#sourcePosition(this.#planned);
    if (to > from) {
      const crc = this.#segments.addRecorded(part, from, to);
      const last = this.#skipped.at(-1);
      if (last?.to === from) last.to = to;
      else this.#skipped.push({ from, to });
      this.#later.set(from, { to, crc, read: readNothing });
      this.#readLater();
    }
    this.wake();
  }

  /** The segments of which every byte is there. */
  segments(): readonly EntrySegment[] {
    return this.#segments.whole();
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
    return !isOpen && at < this.#sourcePosition(this.#planned);
  }

  skippedTo(at: number): number {
    return this.#skipped.find(({ from, to }) => from <= at && at < to)?.to ?? at;
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

  #planPiece(place: Place): SlicePiece {
    const segment = this.#segments.last(place.part) ?? this.#startSegment(place);
    const piece = new SlicePiece(place, {
      start: this.#planned,
      length: this.length,
      framing: this.#framing,
      segment,
      onFull: (full) => this.#addLater(full),
    });
    this.#planned += place.bytes.length;
    if (piece.isFull) piece.finish(undefined)();
    return piece;
  }

  #startSegment({ part, bytes, rest }: Place): Segment {
    const start = this.#planned;
    const end = Math.min(this.codedBytes, start + bytes.length + rest);
    return this.#segments.add(part, this.#sourcePosition(start), this.#sourcePosition(end));
  }

  #sourcePosition(coded: number): number {
    return sourcePosition(coded, this.length, this.#framing);
  }

  #fill(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length) {
      const skipped = this.skippedTo(this.#written) - this.#written;
      const bytes = skipped > 0 ? Math.min(skipped, chunk.length - at) : this.#open[0]?.write(chunk, at);
      if (bytes === undefined) break;
      at += bytes;
      this.#written += bytes;
    }
    return at;
  }

  async #fillWaiting(chunk: Uint8Array, from: number): Promise<void> {
    for (let at = from; at < chunk.length; at = this.#fill(chunk, at)) await this.changed();
  }

  #close(slice: Slice): void {
    this.#open = this.#open.filter((open) => open !== slice);
    if (this.isComplete) this.wake();
  }

  #addLater(piece: SlicePiece): void {
    const { from, to, crc } = piece;
    this.#segments.fill(piece.segment, piece);
    this.#later.set(from, { to, crc, read: piece.finish(this.#hash) });
    this.#readLater();
  }

  #readLater(): void {
    for (let next = this.#later.get(this.#done); next; next = this.#later.get(this.#done)) {
      const { to, crc, read } = next;
      this.#later.delete(this.#done);
      read();
      this.#crc = addCrc(this.#crc, crc, to - this.#done);
      this.#done = to;
    }
  }
}

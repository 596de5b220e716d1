import type { Hash } from 'node:crypto';
import type { Place } from '../byte-sink.ts';
import { crc32 } from '../crc32.ts';
import type { Segment } from './entry-segments.ts';
import {
  BLOCK_BYTES,
  CODED_BYTES,
  type Framing,
  HEADER_BYTES,
  sourcePosition,
  writeBlockHeader,
} from './stored-blocks.ts';

interface PieceOptions {
  /** Position in the coded data. */
  readonly start: number;
  /** Bytes of the source. */
  readonly length: number;
  readonly framing: Framing;
  readonly segment: Segment;
  readonly onFull: (piece: SlicePiece) => void;
}

/** The bytes of a slice that are in one place of the archive. They are written in order. */
export class SlicePiece {
  /** The bytes of the source that it contains, which can be none. */
  readonly from: number;
  readonly to: number;
  /** CRC-32 of its bytes of the source so far. */
  crc = 0;
  position: number;
  readonly segment: Segment;
  readonly #place: Place;
  readonly #length: number;
  readonly #start: number;
  readonly #isFramed: boolean;
  readonly #onFull: (piece: SlicePiece) => void;
  #filled = 0;
  #codedCrc = 0;

  constructor(place: Place, { start, length, framing, segment, onFull }: PieceOptions) {
    this.#place = place;
    this.segment = segment;
    this.#length = length;
    this.#start = start;
    this.#isFramed = framing === 'blocks';
    this.#onFull = onFull;
    this.from = sourcePosition(start, length, framing);
    this.to = sourcePosition(start + place.bytes.length, length, framing);
    this.position = this.from;
    this.#writeHeader();
  }

  get isFull(): boolean {
    return this.#filled === this.#place.bytes.length;
  }

  /** Copies bytes of the chunk, from this index on, as many as fit. Returns their number. */
  write(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && !this.isFull) {
      const bytes = Math.min(this.#blockRest(this.#filled), chunk.length - at, this.to - this.position);
      this.#writeData(bytes === chunk.length ? chunk : chunk.subarray(at, at + bytes));
      at += bytes;
      this.#writeHeader();
    }
    if (this.isFull) this.#onFull(this);
    return at - from;
  }

  /** Passes the piece on to its part. The returned function passes its bytes of the source on to the hash. */
  finish(hash: Hash | undefined): () => void {
    const release = hash && this.#place.keep();
    this.#place.filled(this.#isFramed ? this.#codedCrc : this.crc);
    return () => {
      if (hash) this.#hashData(hash);
      release?.();
    };
  }

  /** Bytes up to the end of the block that contains the byte at this index. */
  #blockRest(at: number): number {
    return this.#isFramed ? CODED_BYTES - ((this.#start + at) % CODED_BYTES) : Infinity;
  }

  #writeData(data: Uint8Array): void {
    this.#place.bytes.set(data, this.#filled);
    this.#filled += data.length;
    this.position += data.length;
    this.crc = crc32(data, this.crc);
    if (this.#isFramed) this.#codedCrc = crc32(data, this.#codedCrc);
  }

  /** Writes the header of the next block, or the part of it that is in this piece, if it is next. */
  #writeHeader(): void {
    const coded = this.#start + this.#filled;
    const inside = coded % CODED_BYTES;
    if (!this.#isFramed || inside >= HEADER_BYTES || this.isFull) return;
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
      const rest = this.#blockRest(at);
      const end = Math.min(bytes.length, at + rest);
      // Of the header of the block, if this starts in it.
      const header = this.#isFramed ? Math.max(0, rest - BLOCK_BYTES) : 0;
      hash.update(bytes.subarray(Math.min(end, at + header), end));
      at = end;
    }
  }
}

/** One part of an upload in memory. */
import { createHash } from 'node:crypto';
import type { Place } from '../byte-sink.ts';
import { crc32 } from '../crc32.ts';
import { combineCrc32 } from '../crc32-combine.ts';
import type { PartChecksum } from './store-capabilities.ts';

export type PartDigests =
  | { readonly kind: 'crc32'; readonly crc32: number }
  | { readonly kind: 'md5'; readonly md5: Buffer };

/** Bytes next to each other with one CRC-32. */
interface Piece {
  bytes: number;
  crc: number;
  readonly isPlace: boolean;
}

export interface PartOwner {
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
export class Part {
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

  /** Bytes that can be planned. */
  get rest(): number {
    return this.#size - this.planned;
  }

  get isFull(): boolean {
    return this.rest === 0;
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

  /** Copies bytes into the last block. */
  copy(chunk: Uint8Array): void {
    this.#plan(chunk.length).set(chunk);
    if (this.#owner.checksum === 'md5') return;
    const piece = this.#lastWritten();
    piece.crc = crc32(chunk, piece.crc);
    piece.bytes += chunk.length;
  }

  reserve(bytes: number): Place {
    const place: Piece = { bytes, crc: 0, isPlace: true };
    this.#pieces.push(place);
    this.#missing += 1;
    return {
      bytes: this.#plan(bytes),
      part: this.number,
      rest: this.rest,
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

import type { OpenSlice } from '../byte-sink.ts';
import type { SlicePiece } from './slice-piece.ts';

/** Bytes next to each other of a source, for one reader at a time. Its pieces can be in several parts. */
export class Slice implements OpenSlice {
  readonly to: number;
  isTaken = false;
  /** Those that are not full, in order. */
  readonly #pieces: SlicePiece[];
  readonly #onFull: (slice: Slice) => void;

  /** At least one piece, and none that is full. */
  constructor(pieces: readonly SlicePiece[], onFull: (slice: Slice) => void) {
    this.#pieces = [...pieces];
    this.#onFull = onFull;
    this.to = pieces.at(-1)?.to ?? 0;
  }

  get position(): number {
    return this.#pieces[0]?.position ?? this.to;
  }

  get isFull(): boolean {
    return this.#pieces.length === 0;
  }

  write(chunk: Uint8Array, from: number): number {
    let at = from;
    for (let piece = this.#pieces[0]; piece && at < chunk.length; piece = this.#pieces[0]) {
      at += piece.write(chunk, at);
      if (piece.isFull) this.#pieces.shift();
    }
    if (this.isFull) this.#onFull(this);
    return at - from;
  }
}

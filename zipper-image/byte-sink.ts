/**
 * Receives bytes in order. The caller can reuse a chunk once the call, or the promise that it returned, has completed.
 * Undefined means that there was room, so that the caller need not await in a hot loop.
 */
export interface ByteSink {
  write(chunk: Uint8Array): Promise<void> | undefined;
}

/** Bytes of the archive that are not there yet, next to each other in the memory of their part. */
export interface Place {
  /** To be filled. Not used any more after `filled`. */
  readonly bytes: Buffer;
  /** Number of their part, from 1. */
  readonly part: number;
  /** Bytes of the part behind the place. */
  readonly rest: number;
  /** All bytes are there. Called once. `crc`: their CRC-32. */
  filled(crc: number): void;
  /** Keeps the bytes readable after `filled`, until the returned function is called. */
  keep(): () => void;
}

/**
 * Receives the bytes of an archive, of which some arrive later than those behind them. Some parts may be kept: the store has them from
 * an earlier process, and their bytes are only counted. A kept part cannot be written as a new one, because its bytes are there.
 */
export interface ArchiveSink extends ByteSink {
  /** @throws AppError SourceChanged if a byte lies in a kept part */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /**
   * Reserves the next bytes: `most`, or fewer in front of a kept part or if so many never have memory at a time. Waits for the memory of
   * all of them. @returns their places in order @throws as `write`
   */
  reserve(most: number): Promise<readonly Place[]>;
  /** Number of the part of the next byte, from 1. */
  readonly nextPart: number;
  /** Bytes of the smallest part. */
  readonly leastPartBytes: number;
  /** How many of the next bytes lie in a kept part, up to its end. 0 if the next byte is to be made. */
  keptAhead(): number;
  /** How many bytes are to be made before the next kept part. Infinity if there is none. */
  freshAhead(): number;
  /** Leaves out the next bytes, which must lie in kept parts. @throws AppError SourceChanged if they do not */
  skip(bytes: number): void;
  /** Writes bytes that may have been written before: those in kept parts are dropped. */
  rewrite(chunk: Uint8Array): Promise<void>;
  /** Nothing further is written, because of this error: it rejects anyone who waits. */
  fail(error: Error): void;
}

/** Bytes next to each other of a source whose places in the archive have memory. One reader at a time writes them, in order. */
export interface OpenSlice {
  /** Position in the source of the next byte, and of the first one behind the slice. */
  readonly position: number;
  readonly to: number;
  readonly isFull: boolean;
  /** Copies bytes of the chunk, from this index on, as many as fit. Returns their number. */
  write(chunk: Uint8Array, from: number): number;
}

/** Fills all slices of a source from several places at a time. `body`: the source from its first byte on. */
export type FillSlices = (target: SliceTarget, body: AsyncIterable<Uint8Array>) => Promise<void>;

/** The slices of one source, for several readers. */
export interface SliceTarget {
  /** A slice is open that nobody writes. */
  readonly hasFree: boolean;
  /** All bytes of the source are there. */
  readonly isComplete: boolean;
  /** Takes the first free slice. */
  take(): OpenSlice | undefined;
  /** Takes the free slice that the readers before would reach last. */
  takeLast(): OpenSlice | undefined;
  /** Takes the free slice whose next byte is at this position. */
  takeAt(position: number): OpenSlice | undefined;
  /** Leaves a slice that is not full to others. */
  giveBack(slice: OpenSlice): void;
  /** Another reader has or had the slice at this position. */
  isTaken(at: number): boolean;
  /**
   * The first position from this one on that is wanted: the archive has those before from an earlier process. The same position if it is
   * wanted itself, or if that is not known yet.
   */
  skippedTo(at: number): number;
  /** Resolves when a slice was opened or given back, all are full, or `wake` was called. */
  changed(): Promise<void>;
  wake(): void;
}

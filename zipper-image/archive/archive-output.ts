/** The bytes of an archive on their way to the sink, and how many there are so far. */
import type { ArchiveSink, Place } from '../byte-sink.ts';
import { layoutChanged } from '../layout-changed.ts';
import { droppedPlace } from './recorded-entry.ts';

export interface Writing {
  /** An earlier process has written the entry, so the bytes may lie in kept parts. */
  readonly isAgain?: boolean;
}

function bytesIn(places: readonly Place[]): number {
  return places.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

export class ArchiveOutput {
  readonly #sink: ArchiveSink;
  /** Offset of the next byte in the archive. */
  offset = 0;

  constructor(sink: ArchiveSink) {
    this.#sink = sink;
  }

  async write(chunk: Uint8Array, { isAgain = false }: Writing = {}): Promise<void> {
    await (isAgain ? this.#sink.rewrite(chunk) : this.#sink.write(chunk));
    this.offset += chunk.length;
  }

  /** Counts bytes that were written to the sink. */
  wrote(bytes: number): void {
    this.offset += bytes;
  }

  /** Reserves the next bytes, `most` or fewer. */
  async reserve(most: number): Promise<readonly Place[]> {
    const places = await this.#sink.reserve(most);
    this.offset += bytesIn(places);
    return places;
  }

  async reserveAll(bytes: number, isAgain: boolean): Promise<readonly Place[]> {
    const places: Place[] = [];
    for (let left = bytes; left > 0; ) {
      const kept = isAgain ? this.skipUpTo(left) : undefined;
      const more = kept ? [droppedPlace(kept.bytes, kept.part)] : await this.reserve(left);
      places.push(...more);
      left -= bytesIn(more);
    }
    return places;
  }

  /** Leaves out all of the next bytes. @throws AppError SourceChanged if not all of them lie in kept parts */
  skip(bytes: number): void {
    this.#sink.skip(bytes);
    this.offset += bytes;
  }

  /** Leaves out the next bytes that lie in one kept part; undefined if the next byte is to be made. */
  skipUpTo(most: number): { readonly part: number; readonly bytes: number } | undefined {
    const bytes = Math.min(this.#sink.keptAhead(), most);
    if (bytes === 0) return undefined;
    const part = this.#sink.nextPart;
    this.skip(bytes);
    return { part, bytes };
  }

  /** @throws AppError SourceChanged if so many bytes do not fit in front of the next kept part */
  assertFits(bytes: number): void {
    if (bytes > this.#sink.freshAhead()) throw layoutChanged();
  }

  /** @throws AppError SourceChanged if the next byte is not the one with this offset */
  assertAt(offset: number): void {
    if (this.offset !== offset) throw layoutChanged();
  }
}

/** Archives whose data is only planned: the writer counts its bytes, but nobody generates, copies or stores them. */
import { createArchive } from '#zipper-image/archive/archive.ts';
import type { ArchiveSink } from '#zipper-image/byte-sink.ts';
import { aPlace } from '../builders/places.ts';
import type { WriteArchive } from './archives-around-4-gib.ts';
import { zipBytesOf } from './sparse-archive.ts';

/** Of a block of the directory; the other records are shorter. */
const MOST_RECORD_BYTES = 65_536;

/** A chunk that claims this length and contains no byte. */
function plannedChunk(length: number): Uint8Array {
  return Object.defineProperties(new Uint8Array(0), {
    length: { value: length },
    subarray: { value: (start: number, end: number) => plannedChunk(end - start) },
  });
}

/** A place of this length that keeps no byte. */
function plannedPlace(length: number, set: (chunk: Uint8Array, at: number) => void): Buffer {
  return Object.defineProperties(Buffer.alloc(0), {
    length: { value: length },
    set: { value: (chunk: Uint8Array, at = 0) => set(chunk, at) },
  });
}

/** A body of this number of planned bytes. */
export async function* plannedBytes(length: number): AsyncGenerator<Uint8Array> {
  yield plannedChunk(length);
}

/** A full block of data is longer than any record, and a planned chunk has no bytes. */
function mayBeRecord({ byteLength }: Uint8Array): boolean {
  return byteLength > 0 && byteLength <= MOST_RECORD_BYTES;
}

/** Writes an archive and returns its records, where they belong. Planned data between them cannot be read. */
export const writePlannedArchive: WriteArchive = async (fill, options) => {
  const pieces: { readonly at: number; readonly bytes: Buffer }[] = [];
  let length = 0;
  function keep(chunk: Uint8Array, at: number): void {
    if (mayBeRecord(chunk)) pieces.push({ at, bytes: Buffer.from(chunk) });
  }
  let places = 0;
  const sink: ArchiveSink = {
    nextPart: 1,
    leastPartBytes: 1,
    keptAhead: () => 0,
    freshAhead: () => Infinity,
    skip: () => undefined,
    rewrite: async () => undefined,
    write: (chunk) => {
      keep(chunk, length);
      length += chunk.length;
      return undefined;
    },
    reserve: async (bytes) => {
      const from = length;
      length += bytes;
      places += 1;
      const place = plannedPlace(bytes, (chunk, at) => keep(chunk, from + at));
      return [aPlace(place, { part: places })];
    },
    fail: () => undefined,
  };
  const archive = createArchive({ compression: 'store', sink, ...options });
  await fill(archive);
  await archive.finish();
  pieces.sort((a, b) => a.at - b.at);
  return zipBytesOf(length, (from, bytes) => {
    const piece = pieces.findLast(({ at }) => at <= from);
    const start = from - (piece?.at ?? 0);
    return piece?.bytes.subarray(start, start + bytes) ?? Buffer.alloc(0);
  });
};

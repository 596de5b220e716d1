/** Archives whose data is only planned: the writer counts its bytes, but nobody generates, copies or stores them. */
import { createArchive } from '#zipper-image/archive/archive.ts';
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
  function write(chunk: Uint8Array): undefined {
    if (mayBeRecord(chunk)) pieces.push({ at: length, bytes: Buffer.from(chunk) });
    length += chunk.length;
  }
  const archive = createArchive({ compression: 'store', sink: { write }, ...options });
  await fill(archive);
  await archive.finish();
  return zipBytesOf(length, (from, bytes) => {
    const piece = pieces.findLast(({ at }) => at <= from);
    const start = from - (piece?.at ?? 0);
    return piece?.bytes.subarray(start, start + bytes) ?? Buffer.alloc(0);
  });
};

/** Which parts of an upload contain which files of its archive. */
import type { FileRecord } from './types.ts';

export interface PartPlace {
  /** From 1. */
  readonly number: number;
  /** Offset of its first byte in the archive, and of the first one behind it. */
  readonly from: number;
  readonly to: number;
}

export interface FilePlace {
  readonly index: number;
  readonly record: FileRecord;
  /** Offset of its first byte in the archive, and of the first one behind it: the same for a file without an entry. */
  readonly from: number;
  readonly to: number;
}

export interface PartMap {
  readonly files: readonly FilePlace[];
  /** Parts with a byte of the files, in order. The last one can reach behind them. */
  readonly parts: readonly PartPlace[];
  /** Offset of the first byte behind the files. */
  readonly end: number;
  partsOf(file: FilePlace): readonly PartPlace[];
  /** Files with a byte in the part. */
  filesOf(part: PartPlace): readonly FilePlace[];
}

function placeFiles(records: readonly FileRecord[]): readonly FilePlace[] {
  let end = 0;
  return records.map((record, index) => {
    const from = end;
    end += record.entry?.bytes ?? 0;
    return { index, record, from, to: end };
  });
}

function placeParts(end: number, partBytes: (number: number) => number): readonly PartPlace[] {
  const parts: PartPlace[] = [];
  for (let from = 0, number = 1; from < end; number += 1) {
    const to = from + partBytes(number);
    parts.push({ number, from, to });
    from = to;
  }
  return parts;
}

/** Index of the first one that ends behind the offset. */
function firstBehind(places: readonly { readonly to: number }[], offset: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle]?.to ?? Infinity) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

function overlapping<T extends { readonly from: number; readonly to: number }>(
  places: readonly T[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly T[] {
  const found: T[] = [];
  for (let at = firstBehind(places, from); at < places.length; at += 1) {
    const place = places[at];
    if (!place || place.from >= to) break;
    if (place.to > place.from) found.push(place);
  }
  return found;
}

/** `partBytes`: bytes of a part, by its number. */
export function createPartMap(
  records: readonly FileRecord[],
  partBytes: (number: number) => number,
): PartMap {
  const files = placeFiles(records);
  const end = files.at(-1)?.to ?? 0;
  const parts = placeParts(end, partBytes);
  return {
    files,
    parts,
    end,
    partsOf: (file) => overlapping(parts, file),
    filesOf: (part) => overlapping(files, part),
  };
}

/** Between an entry and its record. */
import { defined } from '#runtime/collections/optional.ts';
import type { Place } from '../byte-sink.ts';
import { layoutChanged } from '../layout-changed.ts';
import type { ContinuedFile, EntryForm, EntryRecord, EntrySegment } from '../resume/types.ts';
import {
  DEFLATED,
  descriptorBytes,
  type EntryHead,
  type EntrySizes,
  localHeader,
  STORED,
} from './zip-records.ts';
import { ofSecondsSince1980, toSecondsSince1980, toZipTime } from './zip-time.ts';

/** Sizes and checksums of a written entry. */
export interface WrittenEntry extends EntrySizes {
  /** SHA-256 (hex) of the content, if it was computed. */
  readonly sha256?: string;
}

type RecordedPlace = Omit<EntryRecord, 'crc' | 'sha256' | 'segments'>;

/** What the archive says about an entry when its place is known. */
export interface PlacedEntry extends RecordedPlace {
  /** Of a `placed` entry: the segments whose bytes are all there at the time of the call. */
  readonly segments?: () => readonly EntrySegment[];
}

const NO_SIZES: EntrySizes = { crc: 0, compressedSize: 0, size: 0 };

/** Bytes of the entry in the archive. */
function entryBytes(head: EntryHead, compressedSize: number): number {
  return localHeader(head, NO_SIZES).length + compressedSize + descriptorBytes(head);
}

interface Placed {
  readonly form: EntryForm;
  readonly head: EntryHead;
  readonly sizes: EntrySizes;
  readonly modified: Date;
}

export function placedOf({ form, head, sizes, modified }: Placed): RecordedPlace {
  const { crc, size, compressedSize } = sizes;
  const { method, streamed } = head;
  const bytes = entryBytes(head, compressedSize);
  return {
    form,
    method,
    bytes,
    size,
    compressedSize,
    time: toSecondsSince1980(modified),
    ...(form === 'placed' && !streamed && { headerCrc: crc }),
  };
}

/** Whether sizes and CRC-32 are in the local header of an entry whose bytes may be missing. */
export function isExact({ form, method }: Pick<EntryRecord, 'form' | 'method'>): boolean {
  return form === 'placed' && method === STORED;
}

/** CRC-32 of the bytes of the entry, whether they are all there or not; undefined if it is not known. */
export function crcIn({ crc, headerCrc }: Pick<EntryRecord, 'crc' | 'headerCrc'>): number | undefined {
  return crc ?? headerCrc;
}

/** The same place as recorded. */
export function placedAs(record: EntryRecord): RecordedPlace {
  const { form, method, bytes, size, compressedSize, time } = record;
  const headerCrc = isExact(record) ? crcIn(record) : undefined;
  return { form, method, bytes, size, compressedSize, time, ...defined({ headerCrc }) };
}

/**
 * `sha256`: the manifest has that of every entry. `sha256Stated`: the job states that of the file.
 * @throws Error if the record lacks a sum that cannot be computed, because not all bytes of the entry are read again
 */
export function assertComplete(
  { kind, record: { entry } }: ContinuedFile,
  { sha256, sha256Stated }: { readonly sha256: boolean; readonly sha256Stated: boolean },
): void {
  if (kind === 'repeated') return;
  const isVerified = entry?.crc !== undefined;
  if (sha256 ? !entry?.sha256 : sha256Stated && !isVerified)
    throw new Error('the record of an entry has no SHA-256');
}

/** @throws AppError SourceChanged if the entry is not the one of the record */
export function assertRepeated({ crc, bytes }: EntryRecord, head: EntryHead, sizes: EntrySizes): void {
  if (crc !== sizes.crc || bytes !== entryBytes(head, sizes.compressedSize)) throw layoutChanged();
}

/** The head from which the record was made. @throws Error if it cannot be one of this name */
export function headOf(name: string, record: EntryRecord): EntryHead {
  const { form, method, bytes, compressedSize, time } = record;
  const head: EntryHead = {
    name: Buffer.from(name),
    method: method === DEFLATED ? DEFLATED : STORED,
    streamed: form !== 'whole' && !isExact(record),
    zip64: false,
    time: toZipTime(ofSecondsSince1980(time)),
  };
  const found = [head, { ...head, zip64: true }].find((one) => entryBytes(one, compressedSize) === bytes);
  if (!found) throw new Error('the record is not that of an entry of this name');
  return found;
}

/** @throws Error if not all bytes of the entry were there */
export function writtenOf({ crc, sha256, size, compressedSize }: EntryRecord): WrittenEntry {
  if (crc === undefined) throw new Error('the record of a whole entry has no CRC-32');
  return { crc, size, compressedSize, ...(sha256 && { sha256: sha256.toString('hex') }) };
}

/** A place for a few bytes that are in the archive already. */
export function droppedPlace(bytes: number, part: number): Place {
  return {
    bytes: Buffer.alloc(bytes),
    part,
    rest: 0,
    filled: () => undefined,
    keep: () => () => undefined,
  };
}

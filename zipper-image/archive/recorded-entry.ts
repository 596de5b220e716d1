/** Between an entry and its record. */
import type { Place } from '../byte-sink.ts';
import { layoutChanged } from '../layout-changed.ts';
import type { ContinuedFile, EntryForm, EntryRecord, EntrySegment } from '../resume/types.ts';
import {
  DEFLATED,
  dataDescriptor,
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
  const descriptor = head.streamed ? dataDescriptor(head, NO_SIZES).length : 0;
  return localHeader(head, NO_SIZES).length + compressedSize + descriptor;
}

interface Placed {
  readonly form: EntryForm;
  readonly head: EntryHead;
  readonly sizes: Pick<EntrySizes, 'size' | 'compressedSize'>;
  readonly modified: Date;
}

export function placedOf({ form, head, sizes, modified }: Placed): RecordedPlace {
  const { size, compressedSize } = sizes;
  const bytes = entryBytes(head, compressedSize);
  return { form, method: head.method, bytes, size, compressedSize, time: toSecondsSince1980(modified) };
}

/** The same place as recorded. */
export function placedAs({ form, method, bytes, size, compressedSize, time }: EntryRecord): RecordedPlace {
  return { form, method, bytes, size, compressedSize, time };
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
export function headOf(name: string, { form, method, bytes, compressedSize, time }: EntryRecord): EntryHead {
  const head: EntryHead = {
    name: Buffer.from(name),
    method: method === DEFLATED ? DEFLATED : STORED,
    streamed: form !== 'whole',
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

/** The bytes of an archive whose files have known lengths, before the first of them is read. */
import { SMALL_ENTRY_BYTES } from '../sources/types.ts';
import { type Coding, codedBound } from './entry-encoders.ts';
import {
  DEFLATED,
  descriptorBytes,
  directoryHeader,
  type EntryHead,
  endRecords,
  localHeader,
  STORED,
  ZIP64_FROM,
} from './zip-records.ts';
import { toZipTime, type ZipTime } from './zip-time.ts';

export interface PlannedEntry {
  readonly name: string;
  /** Of the body. */
  readonly bytes: number;
  /** How it is written if it is not small. */
  readonly coding: Coding;
}

const BEFORE_2038 = new Date(0);
/** Of a time in both headers of an entry, until 2038. Later ones have none. */
export const TIME_BYTES = 18;

function headOf({ name, bytes, coding }: PlannedEntry, time: ZipTime): EntryHead {
  const isStored = bytes <= SMALL_ENTRY_BYTES || coding === 'none';
  return {
    name: Buffer.from(name),
    method: isStored ? STORED : DEFLATED,
    streamed: !isStored,
    zip64: codedBound(bytes, coding) >= ZIP64_FROM,
    time,
  };
}

/**
 * The bytes of the archive; at most so many if entries are compressed, or if some may have a later time.
 * @param modified - The time of every entry. Default: one before 2038.
 */
export function plannedArchiveBytes(entries: Iterable<PlannedEntry>, modified = BEFORE_2038): number {
  const time = toZipTime(modified);
  let count = 0;
  let offset = 0;
  let size = 0;
  for (const entry of entries) {
    const { bytes, coding } = entry;
    const compressedSize = bytes <= SMALL_ENTRY_BYTES ? bytes : codedBound(bytes, coding);
    const head = headOf(entry, time);
    const sizes = { crc: 0, compressedSize, size: bytes };
    size += directoryHeader(head, sizes, offset).length;
    offset += localHeader(head, sizes).length + compressedSize + descriptorBytes(head);
    count += 1;
  }
  return offset + size + endRecords({ entries: count, offset, size }).length;
}

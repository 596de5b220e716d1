/**
 * The records of a zip archive, byte for byte (PKWARE APPNOTE 6.3.10, sections 4.3.7 to 4.3.16).
 *
 * Sizes that do not fit into 32 bits are written to a zip64 extra field. It is used only where necessary, because some
 * streaming readers, such as the ZipInputStream of JDK 17, fail on small entries with zip64 fields.
 */
import type { ZipTime } from './zip-time.ts';

export const STORED = 0;
export const DEFLATED = 8;

/** The first value that does not fit into a 32-bit field. In the field, it means "see the zip64 field". */
export const ZIP64_FROM = 0xffff_ffff;
/** The first number of entries that does not fit into the end record. */
const ZIP64_ENTRIES_FROM = 0xffff;

const LOCAL_SIGNATURE = 0x0403_4b50;
const DESCRIPTOR_SIGNATURE = 0x0807_4b50;
const CENTRAL_SIGNATURE = 0x0201_4b50;
const END_SIGNATURE = 0x0605_4b50;
const ZIP64_END_SIGNATURE = 0x0606_4b50;
const ZIP64_LOCATOR_SIGNATURE = 0x0706_4b50;

const VERSION_DEFLATE = 20;
const VERSION_ZIP64 = 45;
const MADE_BY_UNIX = (3 << 8) | VERSION_ZIP64;
/** Mode of a regular file that all can read and its owner can write. */
const REGULAR_FILE_0644 = (0o100644 << 16) >>> 0;

const FLAG_DESCRIPTOR = 1 << 3;
const FLAG_UTF8 = 1 << 11;

/** The fields that both headers of an entry share. */
export interface EntryHead {
  /** The name in UTF-8, exactly as requested. */
  readonly name: Buffer;
  readonly method: typeof STORED | typeof DEFLATED;
  /** Sizes and CRC are in a descriptor after the data. */
  readonly streamed: boolean;
  /** The local header has the zip64 field, and the descriptor has 64-bit sizes. */
  readonly zip64: boolean;
  readonly time: ZipTime;
}

export interface EntrySizes {
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
}

function isAscii(name: Buffer): boolean {
  return name.every((byte) => byte < 0x80);
}

function writeUint64(target: Buffer, value: number, at: number): number {
  return target.writeBigUInt64LE(BigInt(value), at);
}

function flagsOf(head: EntryHead): number {
  return (head.streamed ? FLAG_DESCRIPTOR : 0) | (isAscii(head.name) ? 0 : FLAG_UTF8);
}

function extraField(id: number, length: number): Buffer {
  const field = Buffer.alloc(4 + length);
  field.writeUInt16LE(id, 0);
  field.writeUInt16LE(length, 2);
  return field;
}

/**
 * The same in both headers: some readers take the time of the local header and others that of the directory, and without
 * this field both read the DOS time in their own time zone.
 */
function timestampExtra(time: ZipTime): Buffer {
  if (time.unixSeconds === undefined) return Buffer.alloc(0);
  const extra = extraField(0x5455, 5);
  extra.writeUInt8(1, 4);
  extra.writeUInt32LE(time.unixSeconds, 5);
  return extra;
}

/** The zip64 field of a local header, which always has both sizes. */
function localZip64Extra({ size, compressedSize }: EntrySizes): Buffer {
  const extra = extraField(0x0001, 16);
  writeUint64(extra, size, 4);
  writeUint64(extra, compressedSize, 12);
  return extra;
}

/** Written before the data. Sizes and CRC of a streamed entry are zero (or, with zip64, "see the extra field"). */
export function localHeader(head: EntryHead, sizes: EntrySizes): Buffer {
  const known = head.streamed ? { crc: 0, compressedSize: 0, size: 0 } : sizes;
  const timestamp = timestampExtra(head.time);
  const extra = head.zip64 ? Buffer.concat([localZip64Extra(known), timestamp]) : timestamp;
  const record = Buffer.alloc(30 + head.name.length + extra.length);
  record.writeUInt32LE(LOCAL_SIGNATURE, 0);
  record.writeUInt16LE(head.zip64 ? VERSION_ZIP64 : VERSION_DEFLATE, 4);
  record.writeUInt16LE(flagsOf(head), 6);
  record.writeUInt16LE(head.method, 8);
  record.writeUInt16LE(head.time.dosTime, 10);
  record.writeUInt16LE(head.time.dosDate, 12);
  record.writeUInt32LE(known.crc, 14);
  record.writeUInt32LE(head.zip64 ? ZIP64_FROM : known.compressedSize, 18);
  record.writeUInt32LE(head.zip64 ? ZIP64_FROM : known.size, 22);
  record.writeUInt16LE(head.name.length, 26);
  record.writeUInt16LE(extra.length, 28);
  head.name.copy(record, 30);
  extra.copy(record, 30 + head.name.length);
  return record;
}

/** Written after the data of a streamed entry. Includes the signature, which every tested reader understands. */
export function dataDescriptor(head: EntryHead, sizes: EntrySizes): Buffer {
  const record = Buffer.alloc(descriptorBytes({ ...head, streamed: true }));
  record.writeUInt32LE(DESCRIPTOR_SIGNATURE, 0);
  record.writeUInt32LE(sizes.crc, 4);
  if (head.zip64) {
    writeUint64(record, sizes.compressedSize, 8);
    writeUint64(record, sizes.size, 16);
  } else {
    record.writeUInt32LE(sizes.compressedSize, 8);
    record.writeUInt32LE(sizes.size, 12);
  }
  return record;
}

/** Bytes of the descriptor of an entry, if it has one. */
export function descriptorBytes({ streamed, zip64 }: EntryHead): number {
  if (!streamed) return 0;
  return zip64 ? 24 : 16;
}

/** Only the values that do not fit into their 32-bit fields, in the order of the format. */
function zip64Extra(values: readonly number[]): Buffer {
  const large = values.filter((value) => value >= ZIP64_FROM);
  if (large.length === 0) return Buffer.alloc(0);
  const extra = extraField(0x0001, 8 * large.length);
  for (const [index, value] of large.entries()) writeUint64(extra, value, 4 + 8 * index);
  return extra;
}

/** The record of the entry in the central directory at the end of the archive. */
export function directoryHeader(head: EntryHead, sizes: EntrySizes, offset: number): Buffer {
  const zip64 = zip64Extra([sizes.size, sizes.compressedSize, offset]);
  const extra = Buffer.concat([zip64, timestampExtra(head.time)]);
  const record = Buffer.alloc(46 + head.name.length + extra.length);
  record.writeUInt32LE(CENTRAL_SIGNATURE, 0);
  record.writeUInt16LE(MADE_BY_UNIX, 4);
  record.writeUInt16LE(head.zip64 || zip64.length > 0 ? VERSION_ZIP64 : VERSION_DEFLATE, 6);
  record.writeUInt16LE(flagsOf(head), 8);
  record.writeUInt16LE(head.method, 10);
  record.writeUInt16LE(head.time.dosTime, 12);
  record.writeUInt16LE(head.time.dosDate, 14);
  record.writeUInt32LE(sizes.crc, 16);
  record.writeUInt32LE(Math.min(sizes.compressedSize, ZIP64_FROM), 20);
  record.writeUInt32LE(Math.min(sizes.size, ZIP64_FROM), 24);
  record.writeUInt16LE(head.name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(REGULAR_FILE_0644, 38);
  record.writeUInt32LE(Math.min(offset, ZIP64_FROM), 42);
  head.name.copy(record, 46);
  extra.copy(record, 46 + head.name.length);
  return record;
}

export interface Directory {
  readonly entries: number;
  readonly offset: number;
  readonly size: number;
}

function zip64End(directory: Directory): Buffer {
  const record = Buffer.alloc(56 + 20);
  record.writeUInt32LE(ZIP64_END_SIGNATURE, 0);
  writeUint64(record, 44, 4);
  record.writeUInt16LE(MADE_BY_UNIX, 12);
  record.writeUInt16LE(VERSION_ZIP64, 14);
  writeUint64(record, directory.entries, 24);
  writeUint64(record, directory.entries, 32);
  writeUint64(record, directory.size, 40);
  writeUint64(record, directory.offset, 48);
  record.writeUInt32LE(ZIP64_LOCATOR_SIGNATURE, 56);
  writeUint64(record, directory.offset + directory.size, 64);
  record.writeUInt32LE(1, 72);
  return record;
}

/** The records after the directory. Contains zip64 records only if a 32-bit field (or the 16-bit count) is too small. */
export function endRecords(directory: Directory): Buffer {
  const needsZip64 =
    directory.entries >= ZIP64_ENTRIES_FROM || directory.size >= ZIP64_FROM || directory.offset >= ZIP64_FROM;
  const end = Buffer.alloc(22);
  const entries = Math.min(directory.entries, ZIP64_ENTRIES_FROM);
  end.writeUInt32LE(END_SIGNATURE, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(Math.min(directory.size, ZIP64_FROM), 12);
  end.writeUInt32LE(Math.min(directory.offset, ZIP64_FROM), 16);
  return needsZip64 ? Buffer.concat([zip64End(directory), end]) : end;
}

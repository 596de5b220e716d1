/**
 * The records of the files of a list, from which a later pod can continue the archive. Every job has them, so they are packed: 33 bytes
 * of a file, and 65 if a manifest needs its SHA-256.
 */
import type { Continuation, EntryRecord, EntrySegment, FileRecord } from '../resume/types.ts';
import { isExact, type PlacedEntry, placedAs, type WrittenEntry } from './recorded-entry.ts';
import { DEFLATED, STORED } from './zip-records.ts';

export interface RecordedFilesOptions {
  /** A manifest has the SHA-256 of every entry. */
  readonly sha256: boolean;
  /** A shorter file is fetched again as a whole, so its validator is not recorded. */
  readonly leastPartBytes: number;
  /** What an earlier pod recorded. It stays valid for the files that are not reached yet. */
  readonly earlier?: Pick<Continuation, 'files' | 'records'> | undefined;
}

export interface RecordedFiles {
  /** Adds the next file of the list. `entry`: undefined if the archive has nothing of it. */
  add(file: Omit<FileRecord, 'entry'>, entry: PlacedEntry | undefined): void;
  /** All bytes of the entry are in the archive, and what is stated about them was compared. */
  complete(index: number, written: Pick<WrittenEntry, 'crc' | 'sha256'>): void;
  /** The first files of the list, without a gap: those whose place is known, also from an earlier pod. */
  records(): readonly FileRecord[];
}

const FORMS = ['whole', 'placed', 'encoded'] as const;
/** Bits of the first byte of a packed record; the lowest two are the form. */
const HAS_ENTRY = 4;
const IS_DEFLATED = 8;
const HAS_CRC = 16;
const LENGTH_UNVERIFIED = 32;
const CONTENT_ENCODED = 64;
const HAS_SHA256 = 128;
const TIME_AT = 1;
const CRC_AT = 5;
const BYTES_AT = 9;
const SIZE_AT = 17;
const COMPRESSED_AT = 25;
const SHA256_AT = 33;
const SHA256_BYTES = 32;
const FIRST_FILES = 64;

/** Nothing of a file that is fetched as a new one is kept, so only its length still counts. */
function placeOf({ failure, entry, lengthUnverified, contentEncoded }: FileRecord): FileRecord {
  return {
    ...(failure && { failure }),
    ...(entry && { entry: placedAs(entry) }),
    lengthUnverified,
    contentEncoded,
  };
}

function earlierOf({ records, files }: Pick<Continuation, 'files' | 'records'>): readonly FileRecord[] {
  return records.map((record, index) => (files.has(index) ? record : placeOf(record)));
}

class PackedFiles implements RecordedFiles {
  readonly #options: RecordedFilesOptions;
  readonly #stride: number;
  #packed: Buffer;
  #count = 0;
  /** Of an earlier pod. */
  #earlier: readonly FileRecord[];
  readonly #failures = new Map<number, FileRecord['failure']>();
  readonly #validators = new Map<number, string>();
  /** Of entries whose bytes are not all there. */
  readonly #segments = new Map<number, () => readonly EntrySegment[]>();

  constructor(options: RecordedFilesOptions) {
    this.#options = options;
    this.#earlier = options.earlier ? earlierOf(options.earlier) : [];
    this.#stride = SHA256_AT + (options.sha256 ? SHA256_BYTES : 0);
    this.#packed = Buffer.alloc(FIRST_FILES * this.#stride);
  }

  add(file: Omit<FileRecord, 'entry'>, entry: PlacedEntry | undefined): void {
    const index = this.#count;
    this.#count += 1;
    // From another length on, everything is at another place.
    if (entry?.bytes !== this.#earlier[index]?.entry?.bytes) this.#earlier = [];
    const at = this.#reserve(index);
    if (file.lengthUnverified) this.#setFlag(at, LENGTH_UNVERIFIED);
    if (file.contentEncoded) this.#setFlag(at, CONTENT_ENCODED);
    if (file.failure) this.#failures.set(index, file.failure);
    if (entry) this.#addEntry(index, entry, file.validator);
  }

  complete(index: number, { crc, sha256 }: Pick<WrittenEntry, 'crc' | 'sha256'>): void {
    const at = index * this.#stride;
    this.#packed.writeUInt32LE(crc, at + CRC_AT);
    this.#setFlag(at, HAS_CRC);
    this.#segments.delete(index);
    if (sha256 === undefined || !this.#options.sha256) return;
    this.#packed.write(sha256, at + SHA256_AT, 'hex');
    this.#setFlag(at, HAS_SHA256);
  }

  records(): readonly FileRecord[] {
    const own = Array.from({ length: this.#count }, (_, index) => this.#unpack(index));
    return [...own, ...this.#earlier.slice(this.#count)];
  }

  /** Returns the offset of the record. */
  #reserve(index: number): number {
    const at = index * this.#stride;
    if (at < this.#packed.length) return at;
    const grown = Buffer.alloc(2 * this.#packed.length);
    this.#packed.copy(grown);
    this.#packed = grown;
    return at;
  }

  #setFlag(at: number, flag: number): void {
    this.#packed[at] = (this.#packed[at] ?? 0) | flag;
  }

  #addEntry(index: number, entry: PlacedEntry, validator: string | undefined): void {
    this.#pack(entry, index * this.#stride);
    if (entry.segments) this.#segments.set(index, entry.segments);
    const isLong = entry.form === 'placed' && entry.size > this.#options.leastPartBytes;
    if (isLong && validator !== undefined) this.#validators.set(index, validator);
  }

  #pack({ form, method, bytes, size, compressedSize, time, headerCrc }: PlacedEntry, at: number): void {
    this.#setFlag(at, FORMS.indexOf(form) | HAS_ENTRY | (method === DEFLATED ? IS_DEFLATED : 0));
    if (headerCrc !== undefined) this.#packed.writeUInt32LE(headerCrc, at + CRC_AT);
    this.#packed.writeUInt32LE(time, at + TIME_AT);
    this.#packed.writeDoubleLE(bytes, at + BYTES_AT);
    this.#packed.writeDoubleLE(size, at + SIZE_AT);
    this.#packed.writeDoubleLE(compressedSize, at + COMPRESSED_AT);
  }

  #unpack(index: number): FileRecord {
    const flags = this.#packed[index * this.#stride] ?? 0;
    const failure = this.#failures.get(index);
    const validator = this.#validators.get(index);
    return {
      ...(failure && { failure }),
      ...((flags & HAS_ENTRY) !== 0 && { entry: this.#unpackEntry(index, flags) }),
      lengthUnverified: (flags & LENGTH_UNVERIFIED) !== 0,
      contentEncoded: (flags & CONTENT_ENCODED) !== 0,
      ...(validator !== undefined && { validator }),
    };
  }

  #unpackEntry(index: number, flags: number): EntryRecord {
    const packed = this.#packed;
    const at = index * this.#stride;
    const segments = this.#segments.get(index);
    const sha256At = at + SHA256_AT;
    const form = FORMS[(flags & 3) as 0 | 1 | 2];
    const method = (flags & IS_DEFLATED) === 0 ? STORED : DEFLATED;
    const crc = packed.readUInt32LE(at + CRC_AT);
    return {
      form,
      method,
      bytes: packed.readDoubleLE(at + BYTES_AT),
      size: packed.readDoubleLE(at + SIZE_AT),
      compressedSize: packed.readDoubleLE(at + COMPRESSED_AT),
      time: packed.readUInt32LE(at + TIME_AT),
      ...((flags & HAS_CRC) === 0 ? isExact({ form, method }) && { headerCrc: crc } : { crc }),
      ...((flags & HAS_SHA256) !== 0 && {
        sha256: Buffer.from(packed.subarray(sha256At, sha256At + SHA256_BYTES)),
      }),
      ...(segments && { segments: segments() }),
    };
  }
}

export function createRecordedFiles(options: RecordedFilesOptions): RecordedFiles {
  return new PackedFiles(options);
}

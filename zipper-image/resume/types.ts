/**
 * What a pod must know to continue the upload of an earlier one. The store's list of parts is the evidence; these records only say
 * what the parts mean.
 */
import type { FailureCode } from '#crds/exit-codes.ts';
import type { Part } from '../store/complete-upload.ts';
import type { PartChecksum } from '../store/store-capabilities.ts';

/**
 * `whole`: a small body with exact sizes in its header. `placed`: a body of known length that is not compressed, whose place is known
 * before its bytes: in stored blocks, or with method 0 and exact sizes in its header if its CRC-32 is known before. `encoded`: everything
 * else, whose place ends with its last byte.
 */
export type EntryForm = 'whole' | 'placed' | 'encoded';

/** The part of an entry's data that is in one part of the upload. */
export interface EntrySegment {
  /** Number of the part, from 1. */
  readonly part: number;
  /** CRC-32 of the bytes of the source in it. */
  readonly crc: number;
}

export interface EntryRecord {
  readonly form: EntryForm;
  /** Method of the entry, as in its header. */
  readonly method: number;
  /** All bytes of the entry in the archive: header, data and descriptor. */
  readonly bytes: number;
  /** Bytes of the source. */
  readonly size: number;
  readonly compressedSize: number;
  /** Time of the entry in seconds since the start of 1980, UTC: 32 bits. */
  readonly time: number;
  /** CRC-32 of the source. Absent until all of its bytes are in the archive: no part of another form than `placed` is kept then. */
  readonly crc?: number;
  /** CRC-32 in the local header of a `placed` entry of method 0 without `crc`. */
  readonly headerCrc?: number;
  /** SHA-256 of the source, if something needs it. */
  readonly sha256?: Buffer;
  /** Of a `placed` entry without `crc`: the segments that are not empty and whose bytes are all there, by ascending part. */
  readonly segments?: readonly EntrySegment[];
}

/** One file of the list, in the order of the list, whose place in the archive is known. */
export interface FileRecord {
  /** Why the file was skipped or replaced. */
  readonly failure?: { readonly code: FailureCode; readonly httpStatus?: number };
  /** Absent: nothing of the file is in the archive. Of a replaced file: its placeholder. */
  readonly entry?: EntryRecord;
  readonly lengthUnverified: boolean;
  readonly contentEncoded: boolean;
  /** What a source sends for `If-Range`, if the file is longer than the smallest part. */
  readonly validator?: string;
}

/** A part that the store has confirmed. */
export interface PartRecord {
  readonly number: number;
  readonly bytes: number;
  /** First four bytes of the SHA-256 of its ETag. */
  readonly etagDigest: number;
  /** Set unless the store verifies parts by their MD5. */
  readonly crc32?: number;
}

/** Everything of a checkpoint that only the zipper reads. */
export interface Records {
  /** Of the first files of the list, without a gap. */
  readonly files: readonly FileRecord[];
  /** By ascending number, with gaps. */
  readonly parts: readonly PartRecord[];
}

/** What all continued files have. */
interface AsRecorded {
  readonly record: FileRecord;
  /** Offset of its first byte in the archive: the sum of `bytes` of the entries before. */
  readonly at: number;
}

/**
 * How the next pod gets a file of the records. `kept`: all of its parts are kept, so it is not requested; also a skipped file without an
 * entry. `repeated`: some of its parts are made again, and its body was fetched again and has the recorded CRC; of a placeholder, its
 * text. `ranges`: some of its parts are made again, and its source has confirmed the recorded validator; only the missing bytes are
 * wanted. Without `crc`, each of its kept parts must have a segment. A file without any of these is fetched as a new one: none of its
 * parts is kept.
 */
export type ContinuedFile =
  | (AsRecorded & { readonly kind: 'kept' })
  | (AsRecorded & { readonly kind: 'repeated'; readonly body: Uint8Array })
  | (AsRecorded & {
      readonly kind: 'ranges';
      /** Bytes of the archive in it that are kept. */
      readonly keptBytes: number;
    });

/** What a pod takes over. */
export interface Continuation {
  readonly uploadId: string;
  readonly owner: string;
  /** Sequence of the checkpoint that it was read from. */
  readonly sequence: number;
  /** Parts that are not made again, by number, as the store lists them. */
  readonly parts: ReadonlyMap<number, Part>;
  /** What the store verifies all parts of the upload by. */
  readonly partChecksum: PartChecksum;
  /** By index of the file. */
  readonly files: ReadonlyMap<number, ContinuedFile>;
  /** The records of files from which `files` was made. */
  readonly records: readonly FileRecord[];
}

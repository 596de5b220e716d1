import { createHash } from 'node:crypto';
import { MOST_FILES } from '#crds/zip-job.ts';
import { MOST_PARTS } from '#runtime/zip-request/part-sizes.ts';
import { createRandom } from '#test/support/random.ts';
import type { EntryRecord, Records } from '#zipper-image/resume/types.ts';

const MIB = 2 ** 20;

export interface LargeRecords {
  /** Default: as many as a job may have. */
  readonly files?: number;
  readonly sha256?: boolean;
  readonly validators?: boolean;
  /** Whether each entry has a segment in every part. */
  readonly segments?: boolean;
}

/** Records of stored files of up to 32 MiB, each with its own time, and of all parts but a few. */
export function largeRecords({ files = MOST_FILES, sha256, validators, segments }: LargeRecords): Records {
  const random = createRandom(1);
  function u32(): number {
    return random.int(0, 0xffff_ffff);
  }
  function anEntry(index: number): EntryRecord {
    const size = random.int(0, 32 * MIB);
    const compressedSize = size + 5 * Math.max(1, Math.ceil(size / 65_535));
    return {
      form: 'placed',
      method: 8,
      bytes: compressedSize + random.int(90, 200),
      size,
      compressedSize,
      time: u32(),
      ...(segments !== true && { crc: u32() }),
      ...(sha256 === true && { sha256: createHash('sha256').update(`${index}`).digest() }),
      ...(segments === true && {
        segments: Array.from({ length: MOST_PARTS }, (_, part) => ({ part: part + 1, crc: u32() })),
      }),
    };
  }
  return {
    files: Array.from({ length: files }, (_, index) => ({
      entry: anEntry(index),
      lengthUnverified: false,
      contentEncoded: false,
      ...(validators === true && { validator: `"${u32().toString(16).padStart(32, '0')}"` }),
    })),
    parts: Array.from({ length: MOST_PARTS }, (_, index) => ({
      number: index + 1,
      bytes: index < 500 ? 5 * MIB : 16 * MIB,
      etagDigest: u32(),
      crc32: u32(),
    })).filter(({ number }) => number < MOST_PARTS - 40 || number % 7 !== 0),
  };
}

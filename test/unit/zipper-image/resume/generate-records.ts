import { FAILURE_CODES, type FailureCode } from '#crds/exit-codes.ts';
import { defined } from '#runtime/collections/optional.ts';
import { MOST_PARTS } from '#runtime/zip-request/part-sizes.ts';
import type { Random } from '#test/support/random.ts';
import type {
  EntryRecord,
  EntrySegment,
  FileRecord,
  PartRecord,
  Records,
} from '#zipper-image/resume/types.ts';

const TIB = 2 ** 40;
const SIZES = [0, 1, 127, 128, 65_535, 65_536, 2 ** 31, 2 ** 32, 5 * TIB];
const CODES = Object.keys(FAILURE_CODES) as FailureCode[];

function u32(random: Random): number {
  return random.int(0, 0xffff_ffff);
}

function maybe<T>(random: Random, value: () => T): T | undefined {
  return random.int(0, 3) === 0 ? value() : undefined;
}

function aSize(random: Random): number {
  return random.int(0, 1) === 0 ? random.pick(SIZES) : random.int(0, 2 ** random.int(1, 42));
}

/** Numbers from 1 to the maximum, with gaps. */
function someNumbers(random: Random, most: number): readonly number[] {
  const numbers: number[] = [];
  for (
    let number = random.int(1, 3);
    number <= most;
    number += random.int(0, 5) === 0 ? random.int(2, 40) : 1
  )
    numbers.push(number);
  return numbers;
}

function someSegments(random: Random): readonly EntrySegment[] {
  return someNumbers(random, random.pick([0, 5, 100, MOST_PARTS])).map((part) => ({
    part,
    crc: u32(random),
  }));
}

function anEntry(random: Random): EntryRecord {
  const size = aSize(random);
  const compressedSize = random.pick([size, size + 5, aSize(random)]);
  return {
    form: random.pick(['whole', 'placed', 'encoded']),
    method: random.pick([8, 8, 8, 0, 93]),
    bytes: compressedSize + random.int(30, 70_000),
    size,
    compressedSize,
    time: random.pick([0, u32(random), 0x5a21_0000]),
    ...defined({
      crc: random.int(0, 3) === 0 ? undefined : u32(random),
      headerCrc: maybe(random, () => u32(random)),
      sha256: maybe(random, () => Buffer.from(Array.from({ length: 32 }, () => random.int(0, 255)))),
      segments: maybe(random, () => someSegments(random)),
    }),
  };
}

function aValidator(random: Random): string {
  return String.fromCharCode(...Array.from({ length: random.int(0, 300) }, () => random.int(0, 127)));
}

export function aFile(random: Random): FileRecord {
  return {
    lengthUnverified: random.int(0, 9) === 0,
    contentEncoded: random.int(0, 9) === 0,
    ...defined({
      failure: maybe(random, () => ({
        code: random.pick(CODES),
        ...defined({ httpStatus: maybe(random, () => random.int(100, 999)) }),
      })),
      entry: random.int(0, 5) === 0 ? undefined : anEntry(random),
      validator: maybe(random, () => aValidator(random)),
    }),
  };
}

function someParts(random: Random, most: number): readonly PartRecord[] {
  const hasCrc = random.int(0, 1) === 0;
  return someNumbers(random, most).map((number) => ({
    number,
    bytes: number > 500 ? 16 * 2 ** 20 : 8 * 2 ** 20,
    etagDigest: u32(random),
    ...(hasCrc && { crc32: u32(random) }),
  }));
}

export function someRecords(random: Random): Records {
  const files = Array.from({ length: random.pick([0, 1, 20]) }, () => aFile(random));
  return { files, parts: someParts(random, random.pick([0, 3, 600])) };
}

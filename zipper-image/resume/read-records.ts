/** Reads what write-records.ts writes. Every count is compared with the bytes that are left. @throws RangeError for other bytes */
import { FAILURE_CODES, type FailureCode } from '#crds/exit-codes.ts';
import { MOST_FILES } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { MOST_PARTS } from '#runtime/zip-request/part-sizes.ts';
import type { ByteReader } from './record-bytes.ts';
import { ALL_FLAGS, createPrevious, FLAGS, FORMS, type Previous, SHA256_BYTES } from './record-layout.ts';
import type { EntryRecord, EntrySegment, FileRecord, PartRecord, Records } from './types.ts';

/** Bytes of the smallest range of segments or parts: two numbers, and four bytes of its only item. */
const LEAST_RANGE_BYTES = 6;
const U32_BYTES = 4;

interface FileContext {
  readonly previous: Previous;
  readonly codes: readonly FailureCode[];
}

function has(flags: number, name: keyof typeof FLAGS): boolean {
  return (flags & FLAGS[name]) !== 0;
}

function isFailureCode(text: string): text is FailureCode {
  return Object.hasOwn(FAILURE_CODES, text);
}

function readCode(from: ByteReader): FailureCode {
  const text = from.text();
  if (!isFailureCode(text)) throw new RangeError('a failure code is unknown');
  return text;
}

function sum(a: number, b: number): number {
  const total = a + b;
  if (!Number.isSafeInteger(total) || total < 0) throw new RangeError('a size is impossible');
  return total;
}

function readRange(from: ByteReader, last: number, bytesEach: number): { first: number; length: number } {
  const first = last + 1 + from.number(MOST_PARTS - last - 1);
  return { first, length: from.count(MOST_PARTS + 1 - first, bytesEach) };
}

function readSegments(from: ByteReader): readonly EntrySegment[] {
  const segments: EntrySegment[] = [];
  let last = 0;
  for (let ranges = from.count(MOST_PARTS, LEAST_RANGE_BYTES); ranges > 0; ranges -= 1) {
    const { first, length } = readRange(from, last, U32_BYTES);
    for (let part = first; part < first + length; part += 1) segments.push({ part, crc: from.u32() });
    last = first + length - 1;
  }
  return segments;
}

function readEntry(from: ByteReader, flags: number, previous: Previous): Omit<EntryRecord, 'form'> {
  const method = has(flags, 'sameMethod') ? previous.method : from.number();
  const time = has(flags, 'sameTime') ? previous.time : from.u32();
  const size = from.number();
  const compressedSize = sum(size, from.difference());
  const bytes = sum(compressedSize, from.number());
  const crc = has(flags, 'unfinished') ? undefined : from.u32();
  const headerCrc = has(flags, 'headerCrc') ? from.u32() : undefined;
  const sha256 = has(flags, 'sha256') ? from.raw(SHA256_BYTES) : undefined;
  const segments = has(flags, 'segments') ? readSegments(from) : undefined;
  Object.assign(previous, { time, method });
  return { method, bytes, size, compressedSize, time, ...defined({ crc, headerCrc, sha256, segments }) };
}

function readFailure(from: ByteReader, flags: number, codes: readonly FailureCode[]): FileRecord['failure'] {
  const code = has(flags, 'failure') ? codes[from.number(codes.length - 1)] : undefined;
  const httpStatus = has(flags, 'httpStatus') ? from.number() : undefined;
  return code && { code, ...defined({ httpStatus }) };
}

function readFile(from: ByteReader, { previous, codes }: FileContext): FileRecord {
  const flags = from.number(ALL_FLAGS);
  const form = FORMS[flags % FORMS.length];
  const failure = readFailure(from, flags, codes);
  const validator = has(flags, 'validator') ? from.text() : undefined;
  const entry = form && { form, ...readEntry(from, flags, previous) };
  return {
    ...defined({ failure, entry, validator }),
    lengthUnverified: has(flags, 'lengthUnverified'),
    contentEncoded: has(flags, 'contentEncoded'),
  };
}

function readFiles(from: ByteReader): readonly FileRecord[] {
  const codes: FailureCode[] = [];
  for (let count = from.count(Object.keys(FAILURE_CODES).length, 1); count > 0; count -= 1)
    codes.push(readCode(from));
  const files: FileRecord[] = [];
  const context = { previous: createPrevious(), codes };
  for (let count = from.count(MOST_FILES, 1); count > 0; count -= 1) files.push(readFile(from, context));
  return files;
}

function readParts(from: ByteReader): readonly PartRecord[] {
  const parts: PartRecord[] = [];
  let last = 0;
  for (let ranges = from.count(MOST_PARTS, LEAST_RANGE_BYTES); ranges > 0; ranges -= 1) {
    const { first, length } = readRange(from, last, U32_BYTES);
    const bytes = from.number();
    const hasCrc = from.number(1) === 1;
    for (let number = first; number < first + length; number += 1) {
      const etagDigest = from.u32();
      parts.push({ number, bytes, etagDigest, ...(hasCrc && { crc32: from.u32() }) });
    }
    last = first + length - 1;
  }
  return parts;
}

export function readRecords(from: ByteReader): Records {
  const files = readFiles(from);
  return { files, parts: readParts(from) };
}

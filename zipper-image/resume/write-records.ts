/** Writes the records of files and parts as bytes. Each function has its counterpart in read-records.ts. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { FailureCode } from '#crds/exit-codes.ts';
import { MOST_FILES } from '#crds/zip-job.ts';
import { MOST_PARTS } from '#runtime/zip-request/part-sizes.ts';
import type { ByteWriter } from './record-bytes.ts';
import { createPrevious, FLAGS, FORMS, type Previous, SHA256_BYTES } from './record-layout.ts';
import type { EntryRecord, EntrySegment, FileRecord, PartRecord, Records } from './types.ts';

/** Writing this many files or parts takes about a millisecond. Then the data path has its turn. */
const TURN = 500;

interface FileContext {
  readonly previous: Previous;
  readonly codes: readonly FailureCode[];
}

function flag(name: keyof typeof FLAGS, isSet: boolean): number {
  return isSet ? FLAGS[name] : 0;
}

function entryFlags(entry: EntryRecord, previous: Previous): number {
  return (
    FORMS.indexOf(entry.form) +
    flag('unfinished', entry.crc === undefined) +
    flag('sha256', entry.sha256 !== undefined) +
    flag('sameTime', entry.time === previous.time) +
    flag('sameMethod', entry.method === previous.method) +
    flag('segments', entry.segments !== undefined) +
    flag('headerCrc', entry.headerCrc !== undefined)
  );
}

function fileFlags({ entry, failure, ...file }: FileRecord, previous: Previous): number {
  return (
    (entry ? entryFlags(entry, previous) : 0) +
    flag('validator', file.validator !== undefined) +
    flag('failure', failure !== undefined) +
    flag('httpStatus', failure?.httpStatus !== undefined) +
    flag('lengthUnverified', file.lengthUnverified) +
    flag('contentEncoded', file.contentEncoded)
  );
}

/** The list in ranges, each of items that continue the one before. */
function rangesOf<T>(
  list: readonly T[],
  continues: (before: T, next: T) => boolean,
): readonly (readonly [T, ...T[]])[] {
  const ranges: [T, ...T[]][] = [];
  for (const next of list) {
    const range = ranges.at(-1);
    const before = range?.at(-1);
    if (range && before !== undefined && continues(before, next)) range.push(next);
    else ranges.push([next]);
  }
  return ranges;
}

/** Distance to the range before, and length. Returns the last number of the range. @throws RangeError unless numbers ascend from 1 to the maximum */
function writeRange(
  to: ByteWriter,
  { last, first, length }: { last: number; first: number; length: number },
): number {
  to.number(first - last - 1, MOST_PARTS);
  to.number(length, MOST_PARTS + 1 - first);
  return first + length - 1;
}

function writeSegments(to: ByteWriter, segments: readonly EntrySegment[]): void {
  const ranges = rangesOf(segments, (before, next) => next.part === before.part + 1);
  to.number(ranges.length);
  let last = 0;
  for (const range of ranges) {
    last = writeRange(to, { last, first: range[0].part, length: range.length });
    for (const { crc } of range) to.u32(crc);
  }
}

function writeEntry(to: ByteWriter, entry: EntryRecord, previous: Previous): void {
  const { size, compressedSize, bytes, time, method, crc, headerCrc, sha256, segments } = entry;
  if (method !== previous.method) to.number(method);
  if (time !== previous.time) to.u32(time);
  to.number(size);
  to.difference(compressedSize - size);
  to.number(bytes - compressedSize);
  if (crc !== undefined) to.u32(crc);
  if (headerCrc !== undefined) to.u32(headerCrc);
  if (sha256) {
    if (sha256.length !== SHA256_BYTES) throw new RangeError(`a SHA-256 has ${sha256.length} bytes`);
    to.raw(sha256);
  }
  if (segments) writeSegments(to, segments);
  Object.assign(previous, { time, method });
}

function writeFile(to: ByteWriter, file: FileRecord, { previous, codes }: FileContext): void {
  const { entry, failure, validator } = file;
  to.number(fileFlags(file, previous));
  if (failure) to.number(codes.indexOf(failure.code));
  if (failure?.httpStatus !== undefined) to.number(failure.httpStatus);
  if (validator !== undefined) to.text(validator);
  if (entry) writeEntry(to, entry, previous);
}

function codesIn(files: readonly FileRecord[]): readonly FailureCode[] {
  return [...new Set(files.flatMap(({ failure }) => (failure ? [failure.code] : [])))];
}

async function writeFiles(to: ByteWriter, files: readonly FileRecord[]): Promise<void> {
  // By name, because their order may differ in another release.
  const codes = codesIn(files);
  to.number(codes.length);
  for (const code of codes) to.text(code);
  to.number(files.length, MOST_FILES);
  const context = { previous: createPrevious(), codes };
  for (const [index, file] of files.entries()) {
    writeFile(to, file, context);
    if (index % TURN === TURN - 1) await letOthersRun();
  }
}

function isNextPart(before: PartRecord, next: PartRecord): boolean {
  return (
    next.number === before.number + 1 &&
    next.bytes === before.bytes &&
    (next.crc32 === undefined) === (before.crc32 === undefined)
  );
}

function writePart(to: ByteWriter, { etagDigest, crc32 }: PartRecord): void {
  to.u32(etagDigest);
  if (crc32 !== undefined) to.u32(crc32);
}

async function writeParts(to: ByteWriter, parts: readonly PartRecord[]): Promise<void> {
  const ranges = rangesOf(parts, isNextPart);
  to.number(ranges.length);
  let last = 0;
  for (const range of ranges) {
    const [{ number, bytes, crc32 }] = range;
    last = writeRange(to, { last, first: number, length: range.length });
    to.number(bytes);
    to.number(crc32 === undefined ? 0 : 1);
    for (const part of range) {
      writePart(to, part);
      if (part.number % TURN === 0) await letOthersRun();
    }
  }
}

/** Lets other work run now and then; the records must not change meanwhile. @throws RangeError for impossible records */
export async function writeRecords(to: ByteWriter, { files, parts }: Records): Promise<void> {
  await writeFiles(to, files);
  await writeParts(to, parts);
}

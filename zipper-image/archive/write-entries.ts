/**
 * Writes the entries of all sources in order, and handles sources that fail.
 *
 * A source that fails before its first byte is in the archive can be skipped or replaced by a placeholder. If it fails
 * later, its bytes may already be uploaded and cannot be removed from an archive that is written in one pass. Then the
 * attempt fails, whatever the job allows.
 */

import { FAILURE_CODES } from '#crds/exit-codes.ts';
import { type OnSourceError, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import { AppError, toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import { SourceError } from '../sources/source-error.ts';
import { checksumFault } from '../sources/stated.ts';
import { SMALL_ENTRY_BYTES, type SourceEntry, type SourceReader } from '../sources/types.ts';
import type { ProgressCounts } from '../status/progress.ts';
import type { Added, Archive, ArchiveEntry } from './archive.ts';
import type { EntryNames } from './entry-names.ts';
import { createManifest } from './manifest/create-manifest.ts';
import type { Manifest } from './manifest/manifest.ts';
import type { PlacedEntry, WrittenEntry } from './recorded-entry.ts';
import type { RecordedFiles } from './recorded-files.ts';

export interface WriteEntriesDeps {
  readonly task: ArchiveTask;
  readonly names: EntryNames;
  readonly archive: Archive;
  readonly sources: SourceReader;
  readonly progress: Pick<ProgressCounts, 'startFile' | 'finishFile'>;
  /** @throws AppError if this many more bytes cannot be published */
  readonly assertFits: (bytes: number) => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Receives what a later pod needs to continue the archive. */
  readonly recorded?: RecordedFiles;
  /** Called when a file fails that has its place already. */
  readonly onFailure: (error: Error) => void;
}

export interface EntriesWritten {
  readonly files: number;
  /** Indexes of files that were skipped or replaced. */
  readonly skipped: readonly number[];
  readonly skippedCodes: Readonly<Record<string, number>>;
  readonly lengthUnverified: readonly number[];
  readonly contentEncoded: readonly number[];
}

interface Tally {
  files: number;
  readonly failures: SourceError[];
  readonly lengthUnverified: number[];
  readonly contentEncoded: number[];
  readonly manifest: Manifest | undefined;
}

async function* each(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Of entries that are not from a source: a time of the job, so that the same job gives the same bytes. */
function ownTime(task: ArchiveTask): Date {
  return new Date(task.fixedModificationTime ?? task.defaultModificationTime);
}

/** An entry that is not from a source. */
function ownEntry(name: string, pieces: readonly Uint8Array[], task: ArchiveTask): ArchiveEntry {
  const declaredLength = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return {
    name,
    modified: ownTime(task),
    declaredLength,
    body: each(pieces),
    small: declaredLength <= SMALL_ENTRY_BYTES ? Buffer.concat(pieces) : undefined,
  };
}

function modifiedOf(entry: SourceEntry, task: ArchiveTask): Date {
  if (task.fixedModificationTime !== undefined) return new Date(task.fixedModificationTime);
  return entry.lastModified ?? new Date(task.defaultModificationTime);
}

/** The text that replaces a file. The same failure has the same text. */
export function placeholderOf({
  fileIndex,
  code,
  httpStatus,
}: Pick<SourceError, 'fileIndex' | 'code' | 'httpStatus'>): Buffer {
  return Buffer.from(
    [
      'This file could not be added to the archive.',
      `Index: ${fileIndex}`,
      `Reason: ${code}`,
      ...(httpStatus === undefined ? [] : [`HTTP status: ${httpStatus}`]),
      FAILURE_CODES[code].text,
      '',
    ].join('\n'),
  );
}

function tooLateToLeaveOut(error: SourceError, policy: OnSourceError): AppError {
  return new AppError(
    `${error.message}; onSourceError is ${policy}, but parts of the file are already in the archive and cannot be removed`,
    { code: error.code, retryable: error.retryable, cause: error, details: error.details },
  );
}

/** Checksums that were not compared before are compared with the written bytes. */
async function checked(entry: SourceEntry, adding: Promise<WrittenEntry>): Promise<WrittenEntry> {
  const written = await adding;
  const isCompared = entry.continues?.record.entry?.crc !== undefined;
  if (isCompared || entry.failure) return written;
  const fault = checksumFault(entry.stated ?? {}, written);
  if (fault) throw new SourceError(entry, fault);
  return written;
}

/** What is recorded of a file apart from its entry. */
function factsOf({ failure, lengthUnverified, contentEncoded, validator }: SourceEntry) {
  return {
    lengthUnverified,
    contentEncoded,
    ...defined({ validator }),
    ...(failure && { failure: { code: failure.code, ...defined({ httpStatus: failure.httpStatus }) } }),
  };
}

/** Adds the entry of a file, or of what replaces it, and records it. Resolves when the next entry can be added. */
async function addRecorded(
  source: SourceEntry,
  entry: ArchiveEntry,
  { archive, recorded, signal }: WriteEntriesDeps,
): Promise<Added> {
  const { index, continues } = source;
  function onPlaced(placed: PlacedEntry): void {
    recorded?.add(factsOf(source), placed);
    // What was whole and compared in an earlier process stays so.
    const { crc, sha256 } = continues?.record.entry ?? {};
    if (crc !== undefined)
      recorded?.complete(index, { crc, ...defined({ sha256: sha256?.toString('hex') }) });
  }
  const { written } = await archive.add({ ...entry, continues, onPlaced }, signal);
  const compared = checked(source, written);
  compared.then(
    (known) => recorded?.complete(index, known),
    () => undefined,
  );
  return { written: compared };
}

/** Resolves when the next entry can be added. */
async function addSource(entry: SourceEntry, deps: WriteEntriesDeps): Promise<Added> {
  const { task, names } = deps;
  const { small, stated = {} } = entry;
  const policy = task.onSourceError ?? SPEC_DEFAULTS.onSourceError;
  function fail(error: unknown): never {
    throw policy !== 'Fail' && error instanceof SourceError ? tooLateToLeaveOut(error, policy) : error;
  }
  deps.assertFits(entry.declaredLength ?? small?.length ?? 0);
  const options = { name: names.nameOf(entry.index), modified: modifiedOf(entry, task) };
  const sha256 = small === undefined && stated.sha256 !== undefined;
  const crc32 = stated.crc32 === undefined ? undefined : Number.parseInt(stated.crc32, 16);
  const { written } = await addRecorded(entry, { ...entry, ...options, sha256, crc32 }, deps).catch(fail);
  return { written: written.catch(fail) };
}

function addOwn(entry: ArchiveEntry, { archive, signal, assertFits }: WriteEntriesDeps): Promise<Added> {
  assertFits(entry.declaredLength ?? 0);
  return archive.add(entry, signal);
}

/** The entry that replaces a file, if any. */
async function leaveOut(source: SourceEntry, failure: SourceError, deps: WriteEntriesDeps) {
  const { fileIndex, code, httpStatus } = failure;
  const { task, names, log, recorded, assertFits } = deps;
  if (!source.continues)
    log.warn({ fileIndex, code, httpStatus, onSourceError: task.onSourceError }, 'skipped a file');
  if (task.onSourceError !== 'Placeholder') {
    recorded?.add(factsOf(source), undefined);
    return undefined;
  }
  const name = names.placeholderOf(fileIndex);
  const entry = ownEntry(name, [placeholderOf(failure)], task);
  assertFits(entry.declaredLength ?? 0);
  const { written } = await addRecorded(source, entry, deps);
  return { name, ...(await written) };
}

/** Adds one file. Returns what remains to be done when its bytes are in the archive. */
async function addFile(
  source: SourceEntry,
  deps: WriteEntriesDeps,
  tally: Tally,
): Promise<() => Promise<void>> {
  const { index, filename, failure } = source;
  if (failure) {
    const entry = await leaveOut(source, failure, deps);
    return async () => {
      tally.failures.push(failure);
      tally.manifest?.add({ index, filename, failure, ...defined({ entry }) });
    };
  }
  const { lengthUnverified, contentEncoded } = source;
  const { written } = await addSource(source, deps);
  // Files before it may be read for hours yet.
  written.catch((error: unknown) => deps.onFailure(toError(error)));
  return async () => {
    const entry = { name: deps.names.nameOf(index), ...(await written) };
    if (lengthUnverified) tally.lengthUnverified.push(index);
    if (contentEncoded) tally.contentEncoded.push(index);
    tally.manifest?.add({ index, filename, entry, lengthUnverified, contentEncoded });
  };
}

function countCodes(failures: readonly SourceError[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { code } of failures) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/**
 * Writes the entry of every file, and then those of the manifest if requested.
 * @throws SourceError of a file that must not be skipped; of the first file if all files failed, because an archive
 * without files is not a success
 */
export async function writeEntries(deps: WriteEntriesDeps): Promise<EntriesWritten> {
  const { task, names, sources, progress, signal } = deps;
  const manifest = createManifest({ task, bag: names.bag, time: ownTime(task) });
  const tally: Tally = { files: 0, failures: [], lengthUnverified: [], contentEncoded: [], manifest };
  // The files are tallied in their order, although a later one can be complete earlier.
  let tallied: Promise<void> = Promise.resolve();
  /** Reports a failure before the end of the iteration ends the files that are still read. */
  function fail(error: unknown): never {
    deps.onFailure(toError(error));
    throw error;
  }
  for await (const source of sources.entries()) {
    const { index, declaredLength, small } = source;
    signal.throwIfAborted();
    progress.startFile(index, declaredLength ?? small?.length);
    const finish = await addFile(source, deps, tally).catch(fail);
    const before = tallied;
    tallied = before.then(finish).then(() => {
      tally.files += 1;
      progress.finishFile(index);
    });
    tallied.catch(() => undefined);
  }
  await tallied;
  signal.throwIfAborted();
  const { files, failures, lengthUnverified, contentEncoded } = tally;
  const [first] = failures;
  if (first && failures.length === files) throw first;
  for (const { name, pieces } of manifest?.files() ?? []) await addOwn(ownEntry(name, pieces, task), deps);
  return {
    files,
    skipped: failures.map(({ fileIndex }) => fileIndex),
    skippedCodes: countCodes(failures),
    lengthUnverified,
    contentEncoded,
  };
}

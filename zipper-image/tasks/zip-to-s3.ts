/**
 * One archive, from activation to result.
 *
 *   active -> upload started -> `open` recorded -> entries -> all parts there -> `committing` recorded -> Complete -> result
 *
 * The upload starts before any download: an unusable bucket fails the job at no cost. Every way out but a Complete aborts the
 * upload, so a job that fails leaves nothing behind, or leaves it to a pod that continues it. From `committing` on the pod no
 * longer reacts to SIGTERM: the few seconds to the result cost less than recovery. If a source fails the job, the other sources
 * are checked while the upload is aborted.
 */

import { type ArchiveContents, SPEC_DEFAULTS, type ZipResult } from '#crds/zip-job.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import { defined } from '#runtime/collections/optional.ts';
import { toError } from '#runtime/errors.ts';
import { createArchive } from '../archive/archive.ts';
import { type EntryNames, planEntryNames } from '../archive/entry-names.ts';
import { type EntriesWritten, writeEntries } from '../archive/write-entries.ts';
import type { SourceReader } from '../sources/types.ts';
import type { OwnZipJob } from '../status/own-zip-job.ts';
import { peakMemoryBytes } from '../status/peak-memory.ts';
import { StatusError } from '../status/status-error.ts';
import { createLateSignal } from '../store/late-signal.ts';
import type { Upload } from '../store/upload.ts';
import { checkOthers, shouldCheckOthers } from './check-others.ts';
import { leaveUpload } from './leave-upload.ts';
import { openUpload } from './open-upload.ts';
import { assertStatedFits, readStatedSizes, statedPartSize } from './stated-sizes.ts';
import {
  createWork,
  hasManifest,
  type ListOfFiles,
  type OpenedUpload,
  stopAtDeadline,
  type Work,
  type ZipToS3Deps,
} from './zip-work.ts';

export type { ZipToS3Deps };

async function writeArchive(
  work: Work,
  { upload, list, files: recorded }: OpenedUpload,
  sources: SourceReader,
) {
  const { deps, progress, cancel } = work;
  const { task, settings, log } = deps;
  const archive = createArchive({
    sink: upload.sink,
    compression: task.compression,
    sha256: hasManifest(task),
    zip64ForUnknownLength: settings.sourceUnknownLengthZip64,
  });
  const written = await writeEntries({
    task,
    names: list.names,
    archive,
    sources,
    progress,
    log,
    recorded,
    assertFits: (bytes) => upload.assertFits(bytes),
    signal: cancel.signal,
    onFailure: (error) => cancel.abort(error),
  });
  if (written.files !== list.entries.length)
    throw new Error(`Could not write the archive: read ${written.files} of ${list.entries.length} files`);
  return { ...written, ...(await archive.finish()) };
}

function skippedIn({ skipped, skippedCodes }: EntriesWritten) {
  return skipped.length > 0 ? { skipped, skippedCodes } : {};
}

type Written = Awaited<ReturnType<typeof writeArchive>>;

function contentsOf(written: Written, { sha256 }: Upload, { renamed }: EntryNames): ArchiveContents {
  const { bytes, entries, lengthUnverified, contentEncoded } = written;
  return {
    bytes,
    entries,
    ...defined({ sha256 }),
    ...skippedIn(written),
    ...(lengthUnverified.length > 0 && { lengthUnverified }),
    ...(contentEncoded.length > 0 && { contentEncoded }),
    ...defined({ renamed }),
  };
}

/** Of the monotonic clock, to the millisecond. */
function secondsSince(startMs: number): number {
  return Math.round(performance.now() - startMs) / 1000;
}

async function fillUpload(work: Work, opened: OpenedUpload): Promise<ZipResult> {
  const { deps, status, cancel, run } = work;
  const { signal } = cancel;
  const { upload, list, recorded, checkpoints, continuation, resumes } = opened;
  await status.write({ upload: { ...recorded, state: 'open' } }, signal);
  upload.recorded();
  await using sources = deps.openSources(list.entries, signal, continuation?.files);
  run.sources = sources;
  const written = await writeArchive(work, opened, sources);
  const fetchSeconds = secondsSince(work.startedAt);
  const parts = await upload.finishParts();
  const archive = contentsOf(written, upload, list.names);
  const { partsDigest } = upload;
  await checkpoints.stop();
  run.commit = 'recording';
  await status.write({ upload: { ...recorded, state: 'committing', parts, partsDigest, archive } }, signal);
  run.commit = 'recorded';
  const { etag } = await upload.complete();
  return {
    ...archive,
    etag,
    seconds: secondsSince(work.startedAt),
    fetchSeconds,
    peakMemory: await peakMemoryBytes(),
    retries: upload.retries + sources.retries,
    ...defined({ resumes }),
    contractVersion: CONTRACT_VERSION,
  };
}

async function readFileNames({ task, readFiles }: ZipToS3Deps, zipJob: OwnZipJob): Promise<ListOfFiles> {
  const entries = await readFiles(zipJob);
  const { key, portableNames = SPEC_DEFAULTS.portableNames } = task;
  const { duplicateNames, manifestFormat, manifestEntry } = task;
  const options = { key, portableNames, ...defined({ duplicateNames, manifestFormat, manifestEntry }) };
  return { entries, names: planEntryNames(entries, options) };
}

/** The failure, with the number of failing sources if they were checked. */
async function checkAfter(work: Work, zipJob: OwnZipJob, error: Error): Promise<Error> {
  const { deps, run, progress, ended } = work;
  const failure = deps.toFailure(error);
  if (!run.sources || !shouldCheckOthers({ ...deps, zipJob, failure })) return error;
  run.isChecking = true;
  const { lastStarted } = progress;
  return checkOthers({ sources: run.sources, error, failure, lastStarted, signal: ended.signal });
}

/** The same work with other settings. */
function withSettings(work: Work, change: Partial<Work['deps']['settings']>): Work {
  const { deps } = work;
  return { ...work, deps: { ...deps, settings: { ...deps.settings, ...change } } };
}

async function buildArchive(started: Work, zipJob: OwnZipJob): Promise<ZipResult> {
  const { deps, cancel, run, progress } = started;
  const [store, files] = await Promise.all([deps.openStore(), readFileNames(deps, zipJob)]);
  const { entries, names } = files;
  const stated = { ...deps, files: entries, names };
  const sizes = readStatedSizes(stated);
  assertStatedFits({ ...stated, sizes, capabilities: store.capabilities });
  progress.stateTotal(sizes.fileBytes);
  progress.stateArchive(sizes.archiveBytes);
  const work = withSettings(started, { partSizeBytes: statedPartSize(sizes, deps.settings) });
  const opened = await openUpload(work, zipJob, { store, files });
  run.opened = opened;
  opened.checkpoints.follow(zipJob.status);
  try {
    return await fillUpload(work, opened);
  } catch (error) {
    // Later failures are only consequences of the first one.
    const failure = cancel.signal.aborted ? toError(cancel.signal.reason) : toError(error);
    cancel.abort(failure);
    const [, known] = await Promise.all([
      leaveUpload(work, opened, failure),
      checkAfter(work, zipJob, failure),
    ]);
    throw known;
  }
}

/** The termination message has the result and the failure too, so a status write must not use up the grace period. */
const LAST_WRITE_MS = 10_000;

/**
 * The archive is published, so the pod succeeds even if the API server is unavailable until the pod is stopped, or refuses the
 * write: the first try, whose response was lost, may have finished the job.
 */
async function reportResult(work: Work, result: ZipResult): Promise<void> {
  using late = createLateSignal(work.ended.signal, work.deps.lastWriteMs ?? LAST_WRITE_MS);
  try {
    await work.status.write({ result }, late.signal);
  } catch (error) {
    work.deps.log.error(
      { err: error },
      'could not confirm the result in the status; unless it is there, the controller recovers it from the store',
    );
  }
}

/** The last checkpoint has taken a part of the grace period. */
const LAST_WRITE_OF_KEPT_MS = 4_000;

async function reportFailure(work: Work, error: unknown): Promise<void> {
  const { deps, run } = work;
  const failure = deps.toFailure(error);
  if (run.isKept === true && failure.retriable === true && failure.code !== 'Superseded')
    deps.uploadsLeft.uploadEnded('kept');
  if (error instanceof StatusError) return;
  const { lastWriteMs = run.isKept === true ? LAST_WRITE_OF_KEPT_MS : LAST_WRITE_MS } = deps;
  try {
    await work.status.write({ failure: deps.toFailure(error) }, AbortSignal.timeout(lastWriteMs));
  } catch (writeError) {
    work.deps.log.warn({ err: writeError }, 'could not write the failure to the status');
  }
}

/**
 * Builds and publishes the archive and writes the result to the status.
 * @throws AppError whose code is a FailureCode; nothing was published then, or it is OutcomeUnknown.
 */
export async function zipToS3(deps: ZipToS3Deps): Promise<ZipResult> {
  const work = createWork(deps);
  const { cancel, ended, status } = work;
  function stop(): void {
    ended.abort(deps.stopping.reason);
  }
  if (deps.stopping.aborted) stop();
  deps.stopping.addEventListener('abort', stop, { once: true });
  using _deadline = stopAtDeadline(work);
  try {
    const zipJob = await status.activate(deps.task.startDeadlineSeconds * 1000, cancel.signal);
    const stopProgress = status.startProgress(ended.signal);
    try {
      const result = await buildArchive(work, zipJob);
      await stopProgress();
      await reportResult(work, result);
      return result;
    } catch (error) {
      await stopProgress();
      await reportFailure(work, error);
      throw error;
    }
  } finally {
    deps.stopping.removeEventListener('abort', stop);
  }
}

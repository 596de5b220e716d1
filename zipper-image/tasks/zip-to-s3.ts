/**
 * One archive, from activation to result.
 *
 *   active -> upload started -> `open` recorded -> entries -> all parts there -> `committing` recorded -> Complete -> result
 *
 * The upload starts before any download: an unusable bucket fails the job at no cost. Every way
 * out but a Complete aborts the upload, so a job that fails leaves nothing behind. From `committing` on the pod no longer
 * reacts to SIGTERM: the few seconds to the result cost less than recovery. If a source fails the job, the other sources are
 * checked while the upload is aborted.
 */

import { manifestFiles } from '#crds/manifest-files.ts';
import { type ArchiveContents, type FileEntry, SPEC_DEFAULTS, type ZipResult } from '#crds/zip-job.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import { AppError, toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import { createArchive } from '../archive/archive.ts';
import { type EntryNames, planEntryNames } from '../archive/entry-names.ts';
import { type EntriesWritten, writeEntries } from '../archive/write-entries.ts';
import type { SourceReader } from '../sources/types.ts';
import type { OwnZipJob } from '../status/own-zip-job.ts';
import { peakMemoryBytes } from '../status/peak-memory.ts';
import { createProgress } from '../status/progress.ts';
import type { StatusApi } from '../status/status-api.ts';
import { StatusError } from '../status/status-error.ts';
import { createStatusWriter, type StatusSettings, type StatusWriter } from '../status/status-writer.ts';
import { createLateSignal } from '../store/late-signal.ts';
import type { Store } from '../store/store.ts';
import { createUpload, type Upload, type UploadSettings } from '../store/upload.ts';
import type { UploadsLeftCount } from '../store/uploads-left.ts';
import { type CheckSettings, checkOthers, shouldCheckOthers } from './check-others.ts';

export interface ZipToS3Deps {
  readonly task: ArchiveTask;
  readonly podUid: string;
  readonly settings: UploadSettings &
    StatusSettings &
    CheckSettings & { readonly sourceUnknownLengthZip64: boolean };
  readonly log: Logger;
  readonly statusApi: StatusApi;
  /** Called when this pod is active. */
  readonly openStore: () => Promise<Store>;
  /** The file list; `zipJob` is the response of the API server. */
  readonly readFiles: (zipJob: OwnZipJob) => Promise<readonly FileEntry[]>;
  readonly openSources: (files: readonly FileEntry[], signal: AbortSignal) => SourceReader & AsyncDisposable;
  /** Aborted when the pod is terminated. */
  readonly stopping: AbortSignal;
  readonly uploadsLeft: UploadsLeftCount;
  /** For the times in the status. */
  readonly now: () => Date;
  /** How long the result or the failure is written after the end of the job or pod. Default: ten seconds. */
  readonly lastWriteMs?: number;
  readonly toFailure: (error: unknown) => NonNullable<Parameters<StatusWriter['write']>[0]['failure']>;
}

/** State of the run; progress counts are read from it at any time. */
interface Run {
  upload?: Upload;
  sources?: SourceReader;
  isChecking?: boolean;
}

interface ListOfFiles {
  readonly entries: readonly FileEntry[];
  readonly names: EntryNames;
}

interface Work {
  readonly deps: ZipToS3Deps;
  readonly run: Run;
  readonly status: StatusWriter;
  readonly progress: ReturnType<typeof createProgress>;
  /** Aborts everything: on termination, when superseded, or when something failed. */
  readonly cancel: AbortController;
  /** Aborted on termination, when superseded, and at the deadline of the job. */
  readonly ended: AbortController;
  readonly startedAt: number;
}

async function writeArchive(
  work: Work,
  files: ListOfFiles,
  { upload, sources }: Required<Pick<Run, 'upload' | 'sources'>>,
) {
  const { deps, progress, cancel } = work;
  const { task, settings, log } = deps;
  const archive = createArchive({
    sink: upload.sink,
    compression: task.compression,
    sha256: manifestFiles(task).length > 0,
    zip64ForUnknownLength: settings.sourceUnknownLengthZip64,
  });
  const written = await writeEntries({
    task,
    names: files.names,
    archive,
    sources,
    progress,
    log,
    assertFits: (bytes) => upload.assertFits(bytes),
    signal: cancel.signal,
    onFailure: (error) => cancel.abort(error),
  });
  if (written.files !== files.entries.length)
    throw new Error(`Could not write the archive: read ${written.files} of ${files.entries.length} files`);
  return { ...written, ...(await archive.finish()) };
}

function skippedIn({ skipped, skippedCodes }: EntriesWritten) {
  return skipped.length > 0 ? { skipped, skippedCodes } : {};
}

type Written = Awaited<ReturnType<typeof writeArchive>>;

function contentsOf(written: Written, { sha256 }: Upload): ArchiveContents {
  const { bytes, entries, lengthUnverified, contentEncoded } = written;
  return {
    bytes,
    entries,
    ...defined({ sha256 }),
    ...skippedIn(written),
    ...(lengthUnverified.length > 0 && { lengthUnverified }),
    ...(contentEncoded.length > 0 && { contentEncoded }),
  };
}

async function fillUpload(work: Work, upload: Upload, files: ListOfFiles): Promise<ZipResult> {
  const { deps, status, cancel, run } = work;
  const { signal } = cancel;
  const state = { uploadId: upload.uploadId, partSize: deps.settings.partSizeBytes };
  await status.write({ upload: { ...state, state: 'open' } }, signal);
  upload.recorded();
  await using sources = deps.openSources(files.entries, signal);
  run.sources = sources;
  const written = await writeArchive(work, files, { upload, sources });
  const parts = await upload.finishParts();
  const archive = contentsOf(written, upload);
  const { partsDigest } = upload;
  await status.write({ upload: { ...state, state: 'committing', parts, partsDigest, archive } }, signal);
  const { etag } = await upload.complete();
  return {
    ...archive,
    etag,
    seconds: Math.round(performance.now() - work.startedAt) / 1000,
    peakMemory: await peakMemoryBytes(),
    retries: upload.retries + sources.retries,
    contractVersion: CONTRACT_VERSION,
  };
}

async function readFileNames({ task, readFiles }: ZipToS3Deps, zipJob: OwnZipJob): Promise<ListOfFiles> {
  const entries = await readFiles(zipJob);
  const { key, portableNames = SPEC_DEFAULTS.portableNames, manifestFormat, manifestEntry } = task;
  const options = { key, portableNames, ...defined({ manifestFormat, manifestEntry }) };
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

async function buildArchive(work: Work, zipJob: OwnZipJob): Promise<ZipResult> {
  const { deps, cancel, run } = work;
  const { task, podUid, settings, log } = deps;
  const [store, files] = await Promise.all([deps.openStore(), readFileNames(deps, zipJob)]);
  const upload = await createUpload({
    store,
    settings,
    log,
    key: task.key,
    attempt: podUid,
    onConflict: task.onConflict,
    sha256: task.sha256 === true,
    isShared: task.sharedTarget === true,
    signal: cancel.signal,
    onFailure: (error) => cancel.abort(error),
    uploadsLeft: deps.uploadsLeft,
  });
  run.upload = upload;
  try {
    return await fillUpload(work, upload, files);
  } catch (error) {
    // Later failures are only consequences of the first one.
    const failure = cancel.signal.aborted ? toError(cancel.signal.reason) : toError(error);
    cancel.abort(failure);
    const [, known] = await Promise.all([upload.abandon(), checkAfter(work, zipJob, failure)]);
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

async function reportFailure(work: Work, error: unknown): Promise<void> {
  if (error instanceof StatusError) return;
  try {
    await work.status.write(
      { failure: work.deps.toFailure(error) },
      AbortSignal.timeout(work.deps.lastWriteMs ?? LAST_WRITE_MS),
    );
  } catch (writeError) {
    work.deps.log.warn({ err: writeError }, 'could not write the failure to the status');
  }
}

function createWork(deps: ZipToS3Deps): Work {
  const run: Run = {};
  const cancel = new AbortController();
  const ended = new AbortController();
  ended.signal.addEventListener('abort', () => cancel.abort(ended.signal.reason), { once: true });
  const progress = createProgress({
    podUid: deps.podUid,
    filesTotal: deps.task.files.count,
    bytesRead: () => run.sources?.bytesRead ?? 0,
    bytesUploaded: () => run.upload?.bytesUploaded ?? 0,
    now: deps.now,
  });
  const status = createStatusWriter({
    api: deps.statusApi,
    settings: deps.settings,
    log: deps.log,
    progress: () => progress.snapshot(),
    sourceCheck: () => (run.isChecking === true ? run.sources?.known.summary() : undefined),
    onSuperseded: (error) => ended.abort(error),
  });
  return { deps, run, status, progress, cancel, ended, startedAt: performance.now() };
}

/** Node's longest timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** The controller ends the job at its deadline. A pod that cannot be reached ends itself then. */
function stopAtDeadline({ deps, ended }: Work): Disposable {
  const { activeDeadlineSeconds } = deps.task;
  function stop(): void {
    const text = `The job exceeded its deadline of ${activeDeadlineSeconds} s`;
    ended.abort(new AppError(text, { code: 'Terminated', retryable: true }));
  }
  const timer = setTimeout(stop, Math.min(activeDeadlineSeconds * 1000, LONGEST_MS));
  return { [Symbol.dispose]: () => clearTimeout(timer) };
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

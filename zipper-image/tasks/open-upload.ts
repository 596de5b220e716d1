/**
 * The upload of a run: that of an earlier pod, if the controller lets this pod inherit one and it can be continued, or else a new one.
 *
 *   inherited -adopt-> open                                   the same upload
 *   inherited -record-> discarded -abort-> create -> open     another one
 *
 * The record comes before the abort: a pod that is no longer active must not end the upload that its successor continues.
 */
import { type InheritedUpload, type ResumeRefusal } from '#crds/zip-job.ts';
import { isDataUrl } from '#runtime/entries/data-url.ts';
import { toError } from '#runtime/errors.ts';
import type { RetryPolicy } from '#runtime/time/retry.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { type PartSizes, partBytes } from '#runtime/zip-request/part-sizes.ts';
import { createRecordedFiles } from '../archive/recorded-files.ts';
import { placeholderOf } from '../archive/write-entries.ts';
import { abortRefused } from '../resume/abort-refused.ts';
import { type Adoption, adopt } from '../resume/adopt.ts';
import { createCheckpointWriter } from '../resume/checkpoint-writer.ts';
import { recordPart } from '../resume/list-kept.ts';
import { planDigest } from '../resume/plan.ts';
import type { ResolveDeps } from '../resume/resolve.ts';
import type { Continuation } from '../resume/types.ts';
import { recordedFailure } from '../sources/source-error.ts';
import type { OwnZipJob } from '../status/own-zip-job.ts';
import { StatusError } from '../status/status-error.ts';
import type { StatusSettings } from '../status/status-writer.ts';
import { bytesOf } from '../store/part-sender.ts';
import type { Store } from '../store/store.ts';
import { lookUpPolicy } from '../store/store-retry.ts';
import { continueUpload, createUpload, type Upload, type UploadDeps } from '../store/upload.ts';
import { isFormKnown } from './stated-sizes.ts';
import { hasManifest, type ListOfFiles, type OpenedUpload, type Work } from './zip-work.ts';

interface Opening {
  readonly work: Work;
  readonly zipJob: OwnZipJob;
  readonly store: Store;
  readonly files: ListOfFiles;
}

function sizesOf({ work, store }: Opening): PartSizes {
  return {
    partSizeBytes: work.deps.settings.partSizeBytes,
    equalParts: store.capabilities.equalParts,
  };
}

/** Small jobs never need it, and a list can be long. */
function planOf(opening: Opening): () => string {
  const { task, settings } = opening.work.deps;
  const { sourceUnknownLengthZip64 } = settings;
  let plan: string | undefined;
  return () => {
    plan ??= planDigest({
      task,
      files: opening.files.entries,
      sizes: sizesOf(opening),
      sourceUnknownLengthZip64,
    });
    return plan;
  };
}

function resolveDepsOf(opening: Opening): ResolveDeps {
  const { deps, cancel } = opening.work;
  const { task, settings } = deps;
  const { entries } = opening.files;
  const sizes = sizesOf(opening);
  const isSequential = task.sequential ?? settings.sourceSequential;
  return {
    probe: deps.openProbe(entries, cancel.signal),
    partBytes: (number) => partBytes(sizes, number),
    needsSha256: hasManifest(task),
    statesSha256: (index) => entries[index]?.sha256 !== undefined,
    isSingleUse: (index) => isSequential && !isDataUrl(entries[index]?.url ?? ''),
    mayChangeForm: (index) => {
      const file = entries[index];
      return file !== undefined && !isFormKnown(file);
    },
    placeholderOf: (index, failure) => placeholderOf(recordedFailure(index, failure)),
  };
}

/** An API server that starts, or is upgraded, may refuse what it will soon permit. */
function statusPolicy(settings: StatusSettings): RetryPolicy {
  const limit = new RetryLimit(settings.statusRefusalLimitMs);
  return {
    baseDelayMs: settings.statusRetryBaseMs,
    maxDelayMs: settings.statusRetryMaxMs,
    isRetryable: (error) =>
      error instanceof StatusError && error.retryable && !(error.isRefusal && limit.isOver),
  };
}

/** What became of the pod is known once its exit was seen. */
function mayStillRun({ status }: OwnZipJob): boolean {
  return (status?.attempts ?? []).some(({ exitCode }) => exitCode === undefined);
}

async function takeOver(
  opening: Opening,
  inherited: Pick<InheritedUpload, 'uploadId' | 'owner'>,
  plan: string,
): Promise<Adoption> {
  const { work, zipJob, store } = opening;
  const { deps, cancel, run } = work;
  const { task, settings, log } = deps;
  try {
    return await adopt({
      inherited,
      checkpoints: deps.checkpointApi,
      store,
      key: task.key,
      plan,
      resolve: resolveDepsOf(opening),
      isEncrypted: task.bucket.serverSideEncryption === 'aws:kms',
      mayStillRun: mayStillRun(zipJob),
      storePolicy: () => lookUpPolicy(settings, log),
      statusPolicy: () => statusPolicy(settings),
      log,
      signal: cancel.signal,
      lateListMs: deps.lateListMs,
    });
  } catch (error) {
    // Nothing was done to it.
    run.isKept = true;
    throw cancel.signal.aborted ? toError(cancel.signal.reason) : error;
  }
}

/** Ends the upload that this pod inherits. @throws StoreError if the store does not respond; recovery then ends the upload */
async function discard(
  { work, store }: Opening,
  inherited: Pick<InheritedUpload, 'uploadId' | 'owner' | 'partSize'>,
  refusal: ResumeRefusal,
): Promise<void> {
  const { deps, status, cancel } = work;
  const { settings, log, task } = deps;
  const { signal } = cancel;
  const { uploadId, owner, partSize } = inherited;
  await status.write({ upload: { uploadId, owner, partSize, state: 'discarded', refusal } }, signal);
  const isGone = await abortRefused({ store, settings, log, signal }, { key: task.key, uploadId });
  if (!isGone) deps.uploadsLeft.abortFailed();
}

function uploadDepsOf({ work, store }: Opening): UploadDeps {
  const { deps, cancel } = work;
  const { task, podUid, settings, log, uploadsLeft } = deps;
  return {
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
    uploadsLeft,
  };
}

interface Origin {
  readonly plan: () => string;
  readonly adoption: Adoption | undefined;
}

function continuationIn({ adoption }: Origin): Continuation | undefined {
  return adoption?.kind === 'continued' ? adoption.continuation : undefined;
}

function recordedOf(opening: Opening, uploadId: string, origin: Origin): OpenedUpload['recorded'] {
  const { partSizeBytes: partSize } = opening.work.deps.settings;
  const { adoption } = origin;
  if (adoption?.kind === 'refused') return { uploadId, partSize, refusal: adoption.refusal };
  const continuation = continuationIn(origin);
  if (!continuation) return { uploadId, partSize };
  const kept = [...continuation.parts.values()];
  const { owner } = continuation;
  return {
    uploadId,
    partSize,
    ...(owner !== opening.work.deps.podUid && { owner }),
    resumedParts: kept.length,
    resumedBytes: bytesOf(kept),
  };
}

function resumesOf({ status }: OwnZipJob): number {
  return 1 + (status?.inherits?.resumes ?? 0);
}

/** With the records for a later pod. */
function withRecords(opening: Opening, upload: Upload, origin: Origin): OpenedUpload {
  const { deps } = opening.work;
  const { task, podUid, settings, log } = deps;
  const { plan, adoption } = origin;
  const continuation = continuationIn(origin);
  const { uploadId } = upload;
  const { leastPartBytes } = upload.sink;
  const files = createRecordedFiles({ sha256: hasManifest(task), leastPartBytes, earlier: continuation });
  const keptParts = continuation?.parts.size ?? 0;
  const sequence = adoption?.sequence;
  const checkpoints = createCheckpointWriter({
    api: deps.checkpointApi,
    settings,
    log,
    upload: {
      uploadId,
      owner: continuation?.owner ?? podUid,
      get plan() {
        return plan();
      },
    },
    last: sequence === undefined ? undefined : { sequence, isOfUpload: continuation !== undefined },
    partsConfirmed: () => upload.confirmedParts().length - keptParts,
    records: () => ({ files: files.records(), parts: upload.confirmedParts().map(recordPart) }),
  });
  return {
    upload,
    list: opening.files,
    files,
    checkpoints,
    continuation,
    recorded: recordedOf(opening, uploadId, origin),
    resumes: continuation && resumesOf(opening.zipJob),
  };
}

/**
 * Sends nothing that needs a record yet, except to end an upload that is not continued.
 * @throws AppError; an upload that this pod inherits is then left as it is
 */
export async function openUpload(
  work: Work,
  zipJob: OwnZipJob,
  { store, files }: { readonly store: Store; readonly files: ListOfFiles },
): Promise<OpenedUpload> {
  const opening: Opening = { work, zipJob, store, files };
  const plan = planOf(opening);
  const inherited = zipJob.status?.inherits;
  const adoption = inherited && (await takeOver(opening, inherited, plan()));
  if (inherited && adoption?.kind === 'refused') await discard(opening, inherited, adoption.refusal);
  const continuation = continuationIn({ plan, adoption });
  const deps = uploadDepsOf(opening);
  const upload = continuation ? continueUpload(deps, continuation) : await createUpload(deps);
  return withRecords(opening, upload, { plan, adoption });
}

/**
 * One archive as one multipart upload: parts from a fixed set of buffers, a Complete whose outcome is always
 * determined, and an abort in every other case.
 *
 * Even a small archive is a multipart upload: nobody can revoke a simple PUT, but an aborted upload can never
 * publish anything.
 */
import { createHash } from 'node:crypto';
import type { OnConflict } from '#crds/zip-job.ts';
import { AppError, toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import { createGrowthLimit } from '#runtime/process/release-memory.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { blockBytes, partBytes, poolBytes } from '#runtime/zip-request/part-sizes.ts';
import type { ArchiveSink } from '../byte-sink.ts';
import { abortUpload } from './abort-upload.ts';
import type { Part } from './complete-upload.ts';
import { limitedSink } from './limited-sink.ts';
import { bytesOf, createPartSender, type PartSender } from './part-sender.ts';
import { digestOfParts } from './part-verification.ts';
import { createPartWriter, type FilledPart, type PartWriter } from './part-writer.ts';
import { publish } from './publish.ts';
import type { RecoveryDeps } from './recover-upload.ts';
import { refuseExisting } from './refuse-existing.ts';
import { type StartedUpload, startUpload, type Unconfirmed } from './start-upload.ts';
import type { Store, UploadRef } from './store.ts';
import { archiveLimit, assertPlan, type PartChecksum } from './store-capabilities.ts';
import { StoreError } from './store-errors.ts';
import { lookUpPolicy, type StoreRetrySettings, startPolicy, storeRetryPolicy } from './store-retry.ts';
import { type StartWindow, sweepUploads } from './sweep-uploads.ts';
import type { UploadsLeftCount } from './uploads-left.ts';

/** By how much the heap may grow. Large files leave 5 to 30 MiB for each GiB in the old generation. */
const MOST_GARBAGE_BYTES = 12 * 1024 ** 2;

export interface UploadSettings extends StoreRetrySettings {
  /** Bytes of the largest parts. */
  readonly partSizeBytes: number;
  /** Bytes of parts in memory. */
  readonly storeBufferBytes: number;
  readonly maxArchiveBytes: number;
  /** How long to wait for the response to the start of the upload after `signal` aborted. */
  readonly storeStartGraceMs: number;
  /** How long the responses of the store may show an earlier state. */
  readonly storeConsistencyMs: number;
  readonly storeIdleTimeoutMs: number;
}

export interface UploadDeps {
  readonly store: Store;
  readonly settings: UploadSettings;
  readonly log: Logger;
  readonly key: string;
  /** Stored as object metadata, to distinguish the archive from any other at the key. */
  readonly attempt: string;
  readonly onConflict: OnConflict;
  /** Whether to compute the SHA-256 of the whole archive. */
  readonly sha256?: boolean;
  /** Whether another job may write the same object with the same credentials. */
  readonly isShared?: boolean;
  /** Ends everything except Complete. */
  readonly signal: AbortSignal;
  /** Called immediately when a part fails permanently, because the writer may be waiting for a source. */
  readonly onFailure: (error: Error) => void;
  readonly uploadsLeft: Pick<UploadsLeftCount, 'abortFailed' | 'startUnconfirmed' | 'uploadEnded'>;
}

export interface Upload {
  readonly uploadId: string;
  /** Call this when the upload is recorded, and this pod therefore active: nothing else of the store changes before. */
  recorded(): void;
  readonly sink: ArchiveSink;
  /** Bytes that the store has confirmed. */
  readonly bytesUploaded: number;
  /** Retries so far. */
  readonly retries: number;
  /** @throws AppError if the archive cannot have at least `more` further bytes */
  assertFits(more: number): void;
  /** SHA-256 (hex) of all bytes, if it was requested and all parts are finished. */
  readonly sha256: string | undefined;
  /** Of the numbers and ETags of all parts, when they are finished. */
  readonly partsDigest: string;
  /** The parts that the store has confirmed so far, also those of the earlier pod, by ascending number. */
  confirmedParts(): readonly Part[];
  /** Sends the last part, waits for all parts, and returns their number. */
  finishParts(): Promise<number>;
  /** Publishes the archive. @throws AppError if it was not published, or if that is not known (OutcomeUnknown) */
  complete(): Promise<{ readonly etag: string; readonly bytes: number }>;
  /** For all other cases: waits for active parts, then aborts. Never throws. */
  abandon(): Promise<void>;
  /**
   * Leaves the upload to another pod: sends no part any more, and waits for those that are being sent, at most `limitMs`. Then they are
   * cancelled. Never aborts the upload, and never throws.
   */
  keep(limitMs: number): Promise<void>;
}

/** An upload that an earlier pod has started. */
export interface InheritedUpload {
  readonly uploadId: string;
  /** uid of the pod that started it, which is in the metadata of the object. */
  readonly owner: string;
  /** The parts that are not made again, by number. */
  readonly parts: ReadonlyMap<number, Part>;
  /** What its parts are verified by, which the request that created it has said. It counts also if no part is kept. */
  readonly partChecksum: PartChecksum;
}

function assertWhole(parts: readonly Part[], bytes: number): void {
  const sent = bytesOf(parts);
  const isGapless = parts.every(({ number }, index) => number === index + 1);
  if (!isGapless || sent !== bytes)
    throw new StoreError(
      `Could not verify the upload: it has ${parts.length} parts with ${sent} bytes, but ${bytes} bytes were written`,
      { code: 'StoreCorrupted', retryable: true, storeCode: 'PartsMissing' },
    );
}

/** Starts the upload. This first request to the store also shows whether the bucket is usable. */
export async function createUpload(deps: UploadDeps): Promise<Upload> {
  const { store, settings, log, key, attempt, onConflict, signal } = deps;
  assertPlan({ ...settings, key, attempt, onConflict }, store.capabilities);
  const tries = { further: 0 };
  function onRetry(): void {
    tries.further += 1;
  }
  const requestDeps = { store, log, signal, retryPolicy: () => startPolicy(settings, log, onRetry) };
  if (onConflict === 'fail') await refuseExisting(requestDeps, key);
  const graceMs = settings.storeStartGraceMs;
  const started = await startUpload({ ...deps, retryPolicy: startPolicy(settings, log, onRetry), graceMs });
  const upload = openUpload({ ...deps, tries, onRetry, started }, { key, uploadId: started.uploadId });
  if (!signal.aborted) return upload;
  await upload.abandon();
  throw toError(signal.reason);
}

/**
 * Continues an upload, whose kept parts are not sent again. Sends no request. Aborting it, also after a failure here, is up to the
 * caller.
 * @throws AppError for a plan that the store would reject; TypeError if a SHA-256 of all bytes is wanted; RangeError for a part of
 * another size than planned
 */
export function continueUpload(
  deps: UploadDeps,
  { uploadId, owner, parts, partChecksum }: InheritedUpload,
): Upload {
  const { store, settings, key, onConflict } = deps;
  assertPlan({ ...settings, key, attempt: owner, onConflict }, store.capabilities);
  const tries = { further: 0 };
  function onRetry(): void {
    tries.further += 1;
  }
  store.continueUpload(partChecksum);
  const started = { uploadId, unconfirmed: undefined };
  return openUpload({ ...deps, attempt: owner, tries, onRetry, started, kept: parts }, { key, uploadId });
}

type OpenDeps = UploadDeps & {
  readonly kept?: ReadonlyMap<number, Part>;
  readonly tries: { readonly further: number };
  readonly onRetry: () => void;
  readonly started: StartedUpload;
};

/** By the store's clock, whose time is known from the response to the start that succeeded. */
function windowOf({ clock }: Store, { fromMs, toMs }: Unconfirmed): StartWindow | undefined {
  const [from, to] = [clock.at(fromMs), clock.at(toMs)];
  return from && to && { fromMs: from.earliest, toMs: to.latest };
}

/**
 * Aborts uploads that this pod started without a response. Runs in parallel with the parts, so it takes no extra time. It stops
 * when the upload ends.
 */
async function sweepOwn(deps: OpenDeps, own: UploadRef, signal: AbortSignal): Promise<void> {
  const { started, store, isShared = false, uploadsLeft } = deps;
  const { unconfirmed } = started;
  if (!unconfirmed) return;
  const swept = await sweepUploads(
    { ...recoveryDepsOf(deps), signal },
    { own, window: () => windowOf(store, unconfirmed), isShared, ownExists: true },
  );
  if (swept === 'swept') return;
  uploadsLeft.abortFailed();
  // Interrupted: recovery may still find such an upload.
  if (signal.aborted) uploadsLeft.startUnconfirmed();
}

/** Splits the archive into parts, and computes its SHA-256 if requested. */
function createSummedWriter(deps: OpenDeps, send: (part: FilledPart) => Promise<void>) {
  const { settings, store } = deps;
  const whole = deps.sha256 === true ? createHash('sha256') : undefined;
  let sha256: string | undefined;
  const { partSizeBytes } = settings;
  const sizes = { partSizeBytes, equalParts: store.capabilities.equalParts };
  const writer = createPartWriter({
    partBytes: (number) => partBytes(sizes, number),
    blockBytes: blockBytes(partSizeBytes),
    poolBytes: poolBytes(settings),
    checksum: store.partChecksum,
    kept: deps.kept,
    onBytes: whole && ((bytes) => whole.update(bytes)),
    send,
  });
  async function finish(): Promise<void> {
    await writer.finish();
    sha256 = whole?.digest('hex');
    const turnWaitMs = Math.round(writer.turnWaitMs);
    if (whole) deps.log.info({ turnWaitMs }, 'computed the SHA-256 of the parts in their order');
  }
  return { writer, finish, sha256: () => sha256 };
}

/** Without the signal of the job, because an abandoned upload must be aborted even while the process stops. */
function recoveryDepsOf({ store, log, settings, uploadsLeft, onRetry }: OpenDeps): RecoveryDeps {
  return {
    store,
    log,
    retryPolicy: () => lookUpPolicy(settings, log, onRetry),
    onAbortFailed: uploadsLeft.abortFailed,
    consistencyMs: settings.storeConsistencyMs,
  };
}

interface Fate {
  mayBePublished: boolean;
}

async function complete(
  deps: OpenDeps,
  upload: UploadRef & { readonly bytes: number; readonly parts: readonly Part[] },
  fate: Fate,
): Promise<{ readonly etag: string }> {
  const { attempt, onConflict, settings, log, onRetry, uploadsLeft } = deps;
  const { storeRetryLimitMs: retryLimitMs, storeIdleTimeoutMs: idleTimeoutMs } = settings;
  const publishDeps = {
    ...recoveryDepsOf(deps),
    completePolicy: (limitMs: number) =>
      storeRetryPolicy(settings, { log, limit: new RetryLimit(limitMs), onRetry }),
    retryLimitMs,
    idleTimeoutMs,
    onSent: () => {
      fate.mayBePublished = true;
    },
    onRefused: () => {
      fate.mayBePublished = false;
    },
    onGone: () => uploadsLeft.uploadEnded('aborted'),
  };
  return publish(publishDeps, { ...upload, attempt, onConflict });
}

function openUpload(deps: OpenDeps, ref: UploadRef): Upload {
  const sender = createPartSender(deps, ref);
  let swept: Promise<void> | undefined;
  const fate: Fate = { mayBePublished: false };
  const collectGarbage = createGrowthLimit(MOST_GARBAGE_BYTES);
  const { writer, finish, sha256 } = createSummedWriter(deps, (part) => {
    collectGarbage();
    return sender.send(part);
  });
  const limit = archiveLimit(deps.settings, deps.store.capabilities);
  function assertFits(more: number): void {
    if (writer.bytesWritten + more > limit.bytes) throw tooLarge(limit);
  }
  return {
    uploadId: ref.uploadId,
    recorded: () => {
      swept ??= sweepOwn(deps, ref, sender.signal);
    },
    get bytesUploaded() {
      return sender.bytes;
    },
    get retries() {
      return deps.tries.further;
    },
    get sha256() {
      return sha256();
    },
    get partsDigest() {
      return digestOfParts(sender.parts());
    },
    assertFits,
    sink: limitedSink(writer, assertFits),
    confirmedParts: () => sender.parts(),
    finishParts: async () => {
      await finish();
      await swept;
      const parts = sender.parts();
      assertWhole(parts, writer.bytesWritten);
      return parts.length;
    },
    complete: async () => {
      const bytes = writer.bytesWritten;
      const { etag } = await complete(deps, { ...ref, bytes, parts: sender.parts() }, fate);
      return { etag, bytes };
    },
    ...createEnds(deps, ref, { sender, writer, fate, swept: () => swept }),
  };
}

interface Ending {
  readonly sender: PartSender;
  readonly writer: PartWriter;
  readonly fate: Fate;
  readonly swept: () => Promise<void> | undefined;
}

/** The ends of an upload without Complete. */
function createEnds(
  deps: OpenDeps,
  ref: UploadRef,
  { sender, writer, fate, swept }: Ending,
): Pick<Upload, 'abandon' | 'keep'> {
  async function stopped(): Promise<void> {
    await Promise.all([writer.finished(), swept() ?? leaveUnswept(deps)]);
  }
  return {
    abandon: async () => {
      sender.stop();
      await stopped();
      await abortQuietly(deps, ref, fate);
    },
    keep: async (limitMs) => {
      sender.stopStarts();
      writer.fail(new DOMException('the upload is left to another pod', 'AbortError'));
      const timer = setTimeout(sender.stop, limitMs);
      await stopped();
      clearTimeout(timer);
    },
  };
}

/** The upload was never recorded, so nothing else of the store was changed. Recovery does it. */
function leaveUnswept({ started, uploadsLeft }: OpenDeps): void {
  if (started.unconfirmed) uploadsLeft.startUnconfirmed();
}

/**
 * Without Complete, nothing was published, whatever the status says. After one, `publish` has aborted what it may, and the state
 * of the upload is the evidence of recovery.
 */
async function abortQuietly(deps: OpenDeps, ref: UploadRef, { mayBePublished }: Fate): Promise<void> {
  if (mayBePublished) return;
  const { uploadsLeft, log } = deps;
  uploadsLeft.uploadEnded('open');
  try {
    const { isVerified } = await abortUpload(recoveryDepsOf(deps), ref);
    if (isVerified) uploadsLeft.uploadEnded('aborted');
  } catch (error) {
    uploadsLeft.abortFailed();
    log.warn({ err: error, ...ref }, 'could not abort the upload; its parts may remain in the bucket');
  }
}

function tooLarge({ bytes, because }: ReturnType<typeof archiveLimit>): AppError {
  return new AppError(
    `Could not write the archive: it would exceed ${bytes} bytes, ${because}; split the file list`,
    { code: 'ArchiveTooLarge', retryable: false },
  );
}

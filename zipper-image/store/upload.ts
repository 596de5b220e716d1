/**
 * One archive as one multipart upload: parts from a fixed set of buffers, a Complete whose outcome is always found out, and an
 * abort on every other way out.
 *
 * Always multipart, even for one small part: a plain PUT cannot be taken back by anybody, an upload that was aborted can never
 * publish anything.
 */
import { createHash } from 'node:crypto';
import type { OnConflict } from '#crds/zip-job.ts';
import { AppError, toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log.ts';
import { type RetryPolicy, retry } from '#runtime/retry.ts';
import type { ByteSink } from '../byte-sink.ts';
import { createPartWriter, type FilledPart } from './part-writer.ts';
import { publish, refuseExisting } from './publish.ts';
import { abortUpload, type RecoveryDeps } from './recover-upload.ts';
import { startUpload } from './start-upload.ts';
import type { Part, Store, UploadRef } from './store.ts';
import { archiveLimit, assertPlan } from './store-capabilities.ts';
import { StoreError } from './store-errors.ts';
import { type StoreRetrySettings, storeRetryPolicy } from './store-retry.ts';
import { sweepUploads } from './sweep-uploads.ts';
import type { UploadsLeftCount } from './uploads-left.ts';

export interface UploadSettings extends StoreRetrySettings {
  readonly partSizeBytes: number;
  readonly partsInFlight: number;
  readonly maxArchiveBytes: number;
  /** How long to wait for the response to the start of the upload after `signal` aborted. */
  readonly storeStartGraceMs: number;
}

export interface UploadDeps {
  readonly store: Store;
  readonly settings: UploadSettings;
  readonly log: Logger;
  readonly key: string;
  /** Tied to the object, so that it can be told from any other archive at the key. */
  readonly attempt: string;
  readonly onConflict: OnConflict;
  /** Whether to compute the SHA-256 of the whole archive. */
  readonly sha256?: boolean;
  /** Creation time of the job; set if an earlier attempt may have left an unrecorded upload. */
  readonly sweepSince?: Date | undefined;
  /** Ends everything but the Complete. */
  readonly signal: AbortSignal;
  /** Called at once when a part fails for good: whoever feeds the sink may be waiting for a source. */
  readonly onFailure: (error: Error) => void;
  readonly uploadsLeft: Pick<UploadsLeftCount, 'abortFailed' | 'startUnconfirmed'>;
}

export interface Upload {
  readonly uploadId: string;
  readonly sink: ByteSink;
  /** Bytes that the store has confirmed. */
  readonly bytesUploaded: number;
  /** Further tries so far. */
  readonly retries: number;
  /** Refuses early what cannot fit: an archive that would have `more` further bytes at least. */
  assertFits(more: number): void;
  /** SHA-256 (hex) of all bytes, when it was asked for and all parts are finished. */
  readonly sha256: string | undefined;
  /** Sends the last part and waits for all; answers their number. */
  finishParts(): Promise<number>;
  /** Publishes the archive. @throws AppError when it was not published, or nobody can tell (OutcomeUnknown). */
  complete(): Promise<{ readonly etag: string; readonly bytes: number }>;
  /** For every other way out: waits for parts on their way, then aborts. Never throws. */
  abandon(): Promise<void>;
}

const assertWhole = (parts: readonly Part[], bytes: number): void => {
  const sent = parts.reduce((sum, part) => sum + part.bytes, 0);
  const isGapless = parts.every(({ number }, index) => number === index + 1);
  if (!isGapless || sent !== bytes)
    throw new StoreError(
      `Could not verify the upload: it has ${parts.length} parts with ${sent} bytes, but ${bytes} bytes were written`,
      { code: 'StoreCorrupted', retryable: true, storeCode: 'PartsMissing' },
    );
};

/** Starts the upload: the first request to the store, and the one that finds out whether the bucket can be used at all. */
export const createUpload = async (deps: UploadDeps): Promise<Upload> => {
  const { store, settings, log, key, attempt, onConflict, signal } = deps;
  assertPlan({ ...settings, key, attempt, onConflict }, store.capabilities);
  const startedAt = new Date();
  const tries = { further: 0 };
  const retryPolicy = (): RetryPolicy =>
    storeRetryPolicy(deps.settings, deps.log, () => {
      tries.further += 1;
    });
  if (onConflict === 'fail') await refuseExisting({ store, log, signal, retryPolicy }, key);
  const triesBefore = tries.further;
  const graceMs = settings.storeStartGraceMs;
  const uploadId = await startUpload({ ...deps, retryPolicy: retryPolicy(), graceMs });
  // The answer to a try that seemed to fail may only have been lost.
  const since = deps.sweepSince ?? (tries.further > triesBefore ? startedAt : undefined);
  const upload = openUpload({ ...deps, retryPolicy, tries, since }, { key, uploadId });
  if (!signal.aborted) return upload;
  await upload.abandon();
  throw toError(signal.reason);
};

type OpenDeps = UploadDeps & {
  readonly retryPolicy: () => RetryPolicy;
  readonly tries: { readonly further: number };
  readonly since: Date | undefined;
};

/** Sends parts and keeps what the store answered. */
const createPartSender = (deps: OpenDeps, ref: UploadRef) => {
  const stop = new AbortController();
  const signal = AbortSignal.any([deps.signal, stop.signal]);
  const parts: Part[] = [];
  let bytes = 0;
  return {
    parts,
    signal,
    bytes: () => bytes,
    stop: () => stop.abort(new DOMException('the upload was cancelled', 'AbortError')),
    send: async (part: FilledPart): Promise<void> => {
      try {
        const sent = await retry(() => deps.store.uploadPart(ref, part, signal), deps.retryPolicy(), signal);
        parts.push(sent);
        bytes += sent.bytes;
      } catch (error) {
        deps.onFailure(toError(error));
        throw error;
      }
    },
  };
};

/** Runs beside the parts, so it costs no time; it ends when the upload does. */
const startSweep = async (deps: OpenDeps, own: UploadRef, signal: AbortSignal): Promise<void> => {
  const { store, log, retryPolicy, since, uploadsLeft } = deps;
  if (since === undefined) return;
  const swept = await sweepUploads({ store, log, retryPolicy, signal }, { own, since });
  if (swept !== 'unreported') return;
  uploadsLeft.abortFailed();
  // Cut short: recovery may still find what the look was for.
  if (signal.aborted) uploadsLeft.startUnconfirmed();
};

/** Cuts the archive into parts, and sums it when that was asked for. */
const createSummedWriter = (deps: OpenDeps, send: (part: FilledPart) => Promise<void>) => {
  const { settings, store } = deps;
  const whole = deps.sha256 === true ? createHash('sha256') : undefined;
  let sha256: string | undefined;
  const writer = createPartWriter({
    ...settings,
    checksum: store.partChecksum,
    onBytes: whole && ((bytes) => whole.update(bytes)),
    send,
  });
  const finish = async (): Promise<void> => {
    await writer.finish();
    sha256 = whole?.digest('hex');
  };
  return { writer, finish, sha256: () => sha256 };
};

const openUpload = (deps: OpenDeps, ref: UploadRef): Upload => {
  const { store, log } = deps;
  const sender = createPartSender(deps, ref);
  const swept = startSweep(deps, ref, sender.signal);
  const { writer, finish, sha256 } = createSummedWriter(deps, sender.send);
  // Without the job's signal: what is given up must be aborted also while the process is told to stop.
  const { abortFailed: onAbortFailed } = deps.uploadsLeft;
  const recoveryDeps: RecoveryDeps = { store, log, retryPolicy: deps.retryPolicy, onAbortFailed };
  const limit = archiveLimit(deps.settings, store.capabilities);
  const assertFits = (more: number): void => {
    if (writer.bytesWritten + more > limit.bytes) throw tooLarge(limit);
  };
  return {
    uploadId: ref.uploadId,
    get bytesUploaded() {
      return sender.bytes();
    },
    get retries() {
      return deps.tries.further;
    },
    get sha256() {
      return sha256();
    },
    assertFits,
    sink: {
      write: (chunk) => {
        assertFits(chunk.length);
        return writer.write(chunk);
      },
    },
    finishParts: async () => {
      await finish();
      await swept;
      sender.parts.sort((a, b) => a.number - b.number);
      assertWhole(sender.parts, writer.bytesWritten);
      return sender.parts.length;
    },
    complete: async () => {
      const { attempt, onConflict } = deps;
      const bytes = writer.bytesWritten;
      const { parts } = sender;
      const { etag } = await publish(recoveryDeps, { ...ref, attempt, onConflict, bytes, parts });
      return { etag, bytes };
    },
    abandon: async () => {
      sender.stop();
      await Promise.all([writer.finished(), swept]);
      await abortQuietly(recoveryDeps, ref);
    },
  };
};

const abortQuietly = async (deps: RecoveryDeps, ref: UploadRef): Promise<void> => {
  try {
    await abortUpload(deps, ref);
  } catch (error) {
    deps.onAbortFailed?.();
    deps.log.warn({ err: error, ...ref }, 'could not abort the upload; its parts may remain in the bucket');
  }
};

const tooLarge = ({ bytes, because }: ReturnType<typeof archiveLimit>): AppError =>
  new AppError(
    `Could not write the archive: it would exceed ${bytes} bytes, ${because}; split the file list`,
    { code: 'ArchiveTooLarge', retryable: false },
  );

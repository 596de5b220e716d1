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
import type { Logger } from '#runtime/log.ts';
import { type RetryPolicy, retry } from '#runtime/retry.ts';
import type { ByteSink } from '../byte-sink.ts';
import { abortUpload } from './abort-upload.ts';
import { createPartWriter, type FilledPart } from './part-writer.ts';
import { publish, refuseExisting } from './publish.ts';
import type { RecoveryDeps } from './recover-upload.ts';
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
  /** How long the responses of the store may show an earlier state. */
  readonly storeConsistencyMs: number;
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
  /** Creation time of the job; set if an earlier attempt may have left an unrecorded upload. */
  readonly sweepSince?: Date | undefined;
  /** Ends everything except Complete. */
  readonly signal: AbortSignal;
  /** Called immediately when a part fails permanently, because the writer may be waiting for a source. */
  readonly onFailure: (error: Error) => void;
  readonly uploadsLeft: Pick<UploadsLeftCount, 'abortFailed' | 'startUnconfirmed'>;
}

export interface Upload {
  readonly uploadId: string;
  readonly sink: ByteSink;
  /** Bytes that the store has confirmed. */
  readonly bytesUploaded: number;
  /** Retries so far. */
  readonly retries: number;
  /** @throws AppError if the archive cannot have at least `more` further bytes */
  assertFits(more: number): void;
  /** SHA-256 (hex) of all bytes, if it was requested and all parts are finished. */
  readonly sha256: string | undefined;
  /** Sends the last part, waits for all parts, and returns their number. */
  finishParts(): Promise<number>;
  /** Publishes the archive. @throws AppError if it was not published, or if that is not known (OutcomeUnknown) */
  complete(): Promise<{ readonly etag: string; readonly bytes: number }>;
  /** For all other cases: waits for active parts, then aborts. Never throws. */
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

/** Starts the upload. This first request to the store also shows whether the bucket is usable. */
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
  // A failed attempt may have succeeded if only its response was lost.
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

/** Sends parts and keeps the responses of the store. */
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

/** Runs in parallel with the parts, so it takes no extra time. It stops when the upload ends. */
const startSweep = async (deps: OpenDeps, own: UploadRef, signal: AbortSignal): Promise<void> => {
  const { since, uploadsLeft } = deps;
  if (since === undefined) return;
  const swept = await sweepUploads({ ...recoveryDepsOf(deps), signal }, { own, since, ownExists: true });
  if (swept === 'swept') return;
  uploadsLeft.abortFailed();
  // Interrupted: recovery may still find such an upload.
  if (signal.aborted) uploadsLeft.startUnconfirmed();
};

/** Splits the archive into parts, and computes its SHA-256 if requested. */
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

/** Without the signal of the job, because an abandoned upload must be aborted even while the process stops. */
const recoveryDepsOf = ({ store, log, retryPolicy, settings, uploadsLeft }: OpenDeps): RecoveryDeps => ({
  store,
  log,
  retryPolicy,
  onAbortFailed: uploadsLeft.abortFailed,
  consistencyMs: settings.storeConsistencyMs,
});

const openUpload = (deps: OpenDeps, ref: UploadRef): Upload => {
  const { store } = deps;
  const sender = createPartSender(deps, ref);
  const swept = startSweep(deps, ref, sender.signal);
  const { writer, finish, sha256 } = createSummedWriter(deps, sender.send);
  const recoveryDeps = recoveryDepsOf(deps);
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
      write: (chunk, crc) => {
        assertFits(chunk.length);
        return writer.write(chunk, crc);
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

/**
 * Completes the upload of a pod that recorded `committing` and is gone: all of its parts are in the store, so the archive need not be
 * made again. It sends the same Complete as the pod, which may do so at the same time: either way, one archive appears.
 */
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { OnConflict } from '#crds/zip-job.ts';
import { retry } from '#runtime/time/retry.ts';
import { hasResponse } from './abort-upload.ts';
import type { Part } from './complete-upload.ts';
import { readObject } from './evidence.ts';
import type { ListedPart } from './list-parts.ts';
import { bytesOf } from './part-sender.ts';
import { digestOfParts } from './part-verification.ts';
import { MISMATCH, type PublishDeps, publish } from './publish.ts';
import {
  type RecoveryDeps,
  recoverUpload,
  stillAssembling,
  type UploadToRecover,
  untilNextCheck,
} from './recover-upload.ts';
import { isKeyRejected, isStoreCode } from './store-errors.ts';

/** What the pod recorded with `committing`. */
export interface Finish {
  readonly parts: number;
  readonly partsDigest: string;
  readonly onConflict: OnConflict;
}

export type FinishDeps = RecoveryDeps &
  Pick<PublishDeps, 'completePolicy' | 'retryLimitMs' | 'idleTimeoutMs'> & {
    /** Called before the store may receive a Complete. */
    readonly onCompleteSent: () => void;
  };

/** `denied`: the store does not list parts. */
type Listed = readonly ListedPart[] | 'gone' | 'denied';

/** @throws StoreError if the store did not respond, or the credentials may be replaced: a later recovery can still complete the upload */
async function listParts(
  { store, signal, log, retryPolicy }: FinishDeps,
  upload: UploadToRecover,
): Promise<Listed> {
  try {
    return await retry(() => store.listParts(upload, signal), retryPolicy(), signal);
  } catch (error) {
    if (isStoreCode(error, 'NoSuchUpload', 'NoSuchBucket')) return 'gone';
    if (!hasResponse(error) || isKeyRejected(error)) throw error;
    log.warn({ err: error }, 'the store does not list the parts of the upload, so it cannot be completed');
    return 'denied';
  }
}

function areThose(listed: readonly ListedPart[], { bytes }: UploadToRecover, wanted: Finish): boolean {
  return (
    listed.length === wanted.parts &&
    bytesOf(listed) === bytes &&
    digestOfParts(listed) === wanted.partsDigest
  );
}

/** S3 wants the checksum that a part was sent with. Whether an ETag is an MD5 is not known: parts may be encrypted. */
function toPart({ number, bytes, etag, crc32 }: ListedPart): Part {
  const digests =
    crc32 === undefined
      ? ({ kind: 'md5', md5: Buffer.alloc(0) } as const)
      : ({ kind: 'crc32', crc32 } as const);
  return { number, bytes, etag, digests, etagIsMd5: false };
}

/**
 * The recorded parts, as the store lists them. A list may lag, so it is read again for STORE_CONSISTENCY_MS. Undefined if the archive is
 * there already, if the upload is gone or has other parts, and if the store does not list them.
 */
async function recordedParts(
  deps: FinishDeps,
  upload: UploadToRecover,
  wanted: Finish,
): Promise<readonly Part[] | undefined> {
  const startedAt = performance.now();
  for (;;) {
    const isLast = performance.now() >= startedAt + deps.consistencyMs;
    const { object } = await readObject(deps, upload);
    if (object === 'ours' || object === 'resized') return undefined;
    const listed = await listParts(deps, upload);
    if (listed === 'denied') return undefined;
    if (listed !== 'gone' && areThose(listed, upload, wanted)) return listed.map(toPart);
    if (isLast) {
      deps.log.info(
        { uploadId: upload.uploadId },
        'the store does not list the recorded parts of the upload',
      );
      return undefined;
    }
    await untilNextCheck(deps, startedAt);
  }
}

async function publishParts(
  deps: FinishDeps,
  upload: UploadToRecover & { readonly bytes: number },
  { parts, onConflict }: { readonly parts: readonly Part[]; readonly onConflict: OnConflict },
): Promise<RecoveryOutcome> {
  const { bytes } = upload;
  let sentMs: number | undefined;
  let found: RecoveryOutcome | undefined;
  const publishDeps: PublishDeps = {
    ...deps,
    onSent: () => {
      deps.onCompleteSent();
      sentMs = performance.now();
    },
    onGone: () => {
      found = { outcome: 'absent' };
    },
    onRecovered: (outcome) => {
      found = outcome;
    },
  };
  try {
    const { etag } = await publish(publishDeps, { ...upload, parts, onConflict, isRepeated: true });
    return { outcome: 'published', bytes, etag };
  } catch (error) {
    // A Complete may still be carried out, so the next recovery continues, without an abort of this one.
    if (deps.signal?.aborted === true) throw sentMs === undefined ? error : stillAssembling(error);
    deps.log.warn({ err: error }, 'could not complete the upload of the attempt');
    // An object that does not match its parts is no archive, also if it could not be deleted.
    if (isStoreCode(error, MISMATCH)) return { outcome: 'absent' };
    return found ?? recoverUpload(deps, { ...upload, endedMs: sentMs ?? upload.endedMs });
  }
}

/**
 * Publishes the archive if the store still has all recorded parts. Otherwise it aborts the upload, like any recovery.
 * @throws StoreError if the store did not respond, or may still be assembling the archive; then the outcome stays unknown
 */
export async function finishUpload(
  deps: FinishDeps,
  upload: UploadToRecover,
  wanted: Finish,
): Promise<RecoveryOutcome> {
  const parts = await recordedParts(deps, upload, wanted);
  const { bytes } = upload;
  return parts === undefined || bytes === undefined
    ? recoverUpload(deps, upload)
    : publishParts(deps, { ...upload, bytes }, { parts, onConflict: wanted.onConflict });
}

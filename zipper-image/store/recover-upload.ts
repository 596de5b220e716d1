/**
 * Ends an upload that must no longer be published, and determines whether it was.
 *
 * An answer to an abort proves nothing: stores answer success after a Complete, and to ids that never were. What proves
 * something is the object at the key: it carries the id of the attempt that wrote it. So the abort comes first, since after
 * any answer to it nothing can change any more, and then the look at the object.
 */

import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { UploadState } from '#crds/zip-job.ts';
import { toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log.ts';
import { type RetryPolicy, retry } from '#runtime/retry.ts';
import type { Store, UploadRef } from './store.ts';
import { isDenied, isStoreCode, StoreError } from './store-errors.ts';

export interface RecoveryDeps {
  readonly store: Store;
  readonly log: Logger;
  readonly retryPolicy: () => RetryPolicy;
  /** Aborts waits and requests. */
  readonly signal?: AbortSignal;
  /** Called when an upload could not be aborted. */
  readonly onAbortFailed?: () => void;
}

export type UploadToRecover = UploadRef & {
  readonly state: UploadState['state'];
  readonly attempt: string;
};

/** What S3 wants of who asks whether an object is there. */
export const READ_PERMISSION = 's3:GetObject and s3:ListBucket';

/** A part that was still on its way may keep the upload alive: the abort is repeated until the upload is gone. */
const ABORT_ROUNDS = 3;

const abortOnce = async (deps: RecoveryDeps, upload: UploadRef): Promise<void> => {
  const { store, signal } = deps;
  try {
    await retry(() => store.abortUpload(upload, signal), deps.retryPolicy(), signal);
  } catch (error) {
    if (!isStoreCode(error, 'NoSuchUpload')) throw error;
  }
};

const isGone = async (deps: RecoveryDeps, upload: UploadRef): Promise<boolean> => {
  try {
    return (await deps.store.lookAtUpload(upload, deps.signal)) === 'gone';
  } catch (error) {
    deps.log.debug({ err: error }, 'the store does not report whether the upload still exists');
    return true;
  }
};

/**
 * Aborts until the store knows no such upload; where it may not be asked one abort must do.
 * @throws StoreError if the store did not respond, or rejected the abort.
 */
export const abortUpload = async (deps: RecoveryDeps, upload: UploadRef): Promise<void> => {
  for (let round = 1; round <= ABORT_ROUNDS; round += 1) {
    await abortOnce(deps, upload);
    if (await isGone(deps, upload)) return;
  }
  deps.log.warn('the aborted upload still exists; the lifecycle rule of the bucket must remove it');
};

/** True when the store answered, with whatever. */
export const hasResponse = (error: unknown): boolean =>
  error instanceof StoreError && error.httpStatus !== undefined && !error.retryable;

const abortForAnyResponse = async (deps: RecoveryDeps, upload: UploadRef): Promise<void> => {
  try {
    await abortUpload(deps, upload);
  } catch (error) {
    deps.onAbortFailed?.();
    if (!hasResponse(error)) throw toError(error);
    deps.log.warn({ err: error }, 'the store rejected the abort of the upload');
  }
};

const isUnknownUser = (error: unknown): boolean =>
  error instanceof StoreError && error.code === 'BucketCredentialsInvalid';

/** Checks whether the object at the key is the archive of the attempt. */
export const findPublished = async (
  deps: RecoveryDeps,
  upload: Pick<UploadToRecover, 'key' | 'attempt'>,
): Promise<RecoveryOutcome> => {
  const { store, signal } = deps;
  try {
    const found = await retry(() => store.head(upload.key, signal), deps.retryPolicy(), signal);
    if (found?.attempt !== upload.attempt) return { outcome: 'absent' };
    return { outcome: 'published', bytes: found.bytes, etag: found.etag };
  } catch (error) {
    // Without permission to list, S3 refuses to tell that an object is not there. Credentials that were withdrawn tell no more.
    if (isDenied(error) || isUnknownUser(error))
      return { outcome: 'unknown', missingPermission: READ_PERMISSION };
    if (isStoreCode(error, 'NoSuchBucket')) return { outcome: 'absent' };
    throw error;
  }
};

/**
 * @throws StoreError when the store could not be asked; the question stays open then.
 */
export const recoverUpload = async (
  deps: RecoveryDeps,
  upload: UploadToRecover,
): Promise<RecoveryOutcome> => {
  await abortForAnyResponse(deps, upload);
  // Complete is sent only after `committing` was recorded: an open upload has published nothing.
  return upload.state === 'open' ? { outcome: 'absent' } : findPublished(deps, upload);
};

/**
 * Ends an upload that must no longer be published, and determines whether it was.
 *
 * The response to an abort verifies nothing, because stores also return success after a Complete, and for unknown IDs.
 * The object at the key is reliable, because its metadata contains the ID of the attempt that wrote it. So the upload
 * is aborted first, after which nothing can change, and then the object is checked.
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

/** The permissions that S3 requires to report whether an object exists. */
export const READ_PERMISSION = 's3:GetObject and s3:ListBucket';

/** A part that is still being sent may keep the upload alive, so the abort is repeated until the upload is gone. */
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
 * Aborts until the store no longer knows the upload. Aborts only once if listing the parts is not permitted.
 * @throws StoreError if the store did not respond, or rejected the abort
 */
export const abortUpload = async (deps: RecoveryDeps, upload: UploadRef): Promise<void> => {
  for (let round = 1; round <= ABORT_ROUNDS; round += 1) {
    await abortOnce(deps, upload);
    if (await isGone(deps, upload)) return;
  }
  deps.log.warn('the aborted upload still exists; the lifecycle rule of the bucket must remove it');
};

/** True if the store responded, with any status. */
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
    // Without permission to list, S3 does not report that an object is missing. Revoked credentials get no information
    // either.
    if (isDenied(error) || isUnknownUser(error))
      return { outcome: 'unknown', missingPermission: READ_PERMISSION };
    if (isStoreCode(error, 'NoSuchBucket')) return { outcome: 'absent' };
    throw error;
  }
};

/** @throws StoreError if the store did not respond; then the outcome stays unknown */
export const recoverUpload = async (
  deps: RecoveryDeps,
  upload: UploadToRecover,
): Promise<RecoveryOutcome> => {
  await abortForAnyResponse(deps, upload);
  // Complete is sent only after `committing` was recorded, so an open upload has published nothing.
  return upload.state === 'open' ? { outcome: 'absent' } : findPublished(deps, upload);
};

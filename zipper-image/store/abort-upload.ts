/** Aborts an upload and verifies that the store no longer has it. */
import type { Logger } from '#runtime/log/log.ts';
import { type RetryPolicy, retry } from '#runtime/time/retry.ts';
import type { Store, UploadRef } from './store.ts';
import { isStoreCode, StoreError } from './store-errors.ts';

export interface AbortDeps {
  readonly store: Store;
  readonly log: Logger;
  /** Of one request. */
  readonly retryPolicy: () => RetryPolicy;
  /** Aborts waits and requests. */
  readonly signal?: AbortSignal;
}

/** `unreported`: the credentials or the store do not permit the request. */
export type Presence = 'gone' | 'present' | 'unreported';

/** A part that is still being sent may keep the upload alive, so the abort is repeated until the upload is gone. */
const ABORT_ROUNDS = 3;

/** True if the store responded, with any status. */
export function hasResponse(error: unknown): boolean {
  return error instanceof StoreError && error.httpStatus !== undefined && !error.retryable;
}

/** The error for an upload that an accepted abort did not remove. */
export function uploadRemains(): StoreError {
  return new StoreError('Could not abort the upload: the store accepts the abort but still has the upload', {
    code: 'StoreUnavailable',
    retryable: true,
    storeCode: 'UploadRemains',
  });
}

/** `unconfirmed`: the upload is gone after an earlier try got no response, so that try may have removed it. */
export type AbortOutcome = 'accepted' | 'gone' | 'unconfirmed';

/** @throws StoreError if the store did not respond, or refused the abort */
export async function abortOnce(deps: AbortDeps, upload: UploadRef): Promise<AbortOutcome> {
  const { store, signal } = deps;
  let tries = 0;
  function abort(): Promise<void> {
    tries += 1;
    return store.abortUpload(upload, signal);
  }
  try {
    await retry(abort, deps.retryPolicy(), signal);
    return 'accepted';
  } catch (error) {
    if (isStoreCode(error, 'NoSuchUpload')) return tries > 1 ? 'unconfirmed' : 'gone';
    throw error;
  }
}

/** Asks for the parts of the upload. @throws StoreError if the store did not respond */
export async function presenceByParts(deps: AbortDeps, upload: UploadRef): Promise<Presence> {
  const { store, signal, log } = deps;
  try {
    const found = await retry(() => store.lookAtUpload(upload, signal), deps.retryPolicy(), signal);
    return found === 'gone' ? 'gone' : 'present';
  } catch (error) {
    if (!hasResponse(error)) throw error;
    log.debug({ err: error }, 'the store does not report whether the upload still exists');
    return 'unreported';
  }
}

/**
 * Aborts until the store no longer knows the upload. Aborts only once if listing the parts is not permitted.
 * `isVerified`: the store reports that the upload is gone.
 * @throws StoreError if the store did not respond, refused the abort, or still has the upload
 */
export async function abortUpload(
  deps: AbortDeps,
  upload: UploadRef,
): Promise<{ readonly isVerified: boolean }> {
  for (let round = 1; round <= ABORT_ROUNDS; round += 1) {
    const aborted = await abortOnce(deps, upload);
    const presence = await presenceByParts(deps, upload);
    if (presence !== 'present') return { isVerified: presence === 'gone' || aborted !== 'accepted' };
  }
  throw uploadRemains();
}

import type { Logger } from '#runtime/log/log.ts';
import { retry } from '#runtime/time/retry.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { abortUpload } from '../store/abort-upload.ts';
import type { Store, UploadRef } from '../store/store.ts';
import { StoreError } from '../store/store-errors.ts';
import { lookUpPolicy, type StoreRetrySettings, storeRetryPolicy } from '../store/store-retry.ts';

export interface AbortRefusedDeps {
  readonly store: Store;
  readonly settings: StoreRetrySettings;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Aborts the upload of an earlier pod, after it was recorded as discarded. False if the credentials do not permit it: the upload remains,
 * and the job can go on.
 * @throws StoreError if the store does not respond within its limit, or still has the upload then. The pod must fail, because only its
 * record names the upload to recovery, and the record of a new upload would take its place.
 */
export async function abortRefused(
  { store, settings, log, signal }: AbortRefusedDeps,
  upload: UploadRef,
): Promise<boolean> {
  const deps = { store, log, signal, retryPolicy: () => lookUpPolicy(settings, log) };
  const limit = new RetryLimit(settings.storeRetryLimitMs);
  try {
    await retry(() => abortUpload(deps, upload), storeRetryPolicy(settings, { log, limit }), signal);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StoreError && error.retryable) throw error;
    log.warn(
      { err: error },
      'could not abort the upload of the earlier pod; its parts may remain in the bucket',
    );
    return false;
  }
}

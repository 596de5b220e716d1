/**
 * Starts an upload. If the process is stopped during the request and ignores the response, an upload with an unknown ID
 * remains. So the response is awaited a little longer, and the upload can be aborted.
 */
import { type RetryPolicy, retry } from '#runtime/retry.ts';
import { hasResponse } from './abort-upload.ts';
import { createLateSignal } from './late-signal.ts';
import type { Store } from './store.ts';
import { isUnsent } from './store-errors.ts';
import type { UploadsLeftCount } from './uploads-left.ts';

export interface StartUploadDeps {
  readonly store: Pick<Store, 'createUpload'>;
  readonly key: string;
  readonly attempt: string;
  readonly retryPolicy: RetryPolicy;
  /** Stops retries immediately, and the active request after `graceMs`. */
  readonly signal: AbortSignal;
  readonly graceMs: number;
  readonly uploadsLeft: Pick<UploadsLeftCount, 'startUnconfirmed'>;
}

/**
 * Starts an upload and returns its ID, even if the process was stopped meanwhile. Then the caller must abort it. A
 * failed start may have left an upload unless the store clearly rejected it, or never received it; this is counted.
 */
export const startUpload = async (deps: StartUploadDeps): Promise<string> => {
  const { store, key, attempt, retryPolicy, signal, graceMs, uploadsLeft } = deps;
  using late = createLateSignal(signal, graceMs);
  const tries = { unacknowledged: 0 };
  const ask = async (): Promise<string> => {
    try {
      return await store.createUpload(key, attempt, late.signal);
    } catch (error) {
      if (!hasResponse(error) && !isUnsent(error)) tries.unacknowledged += 1;
      throw error;
    }
  };
  try {
    return await retry(ask, retryPolicy, signal);
  } catch (error) {
    if (tries.unacknowledged > 0) uploadsLeft.startUnconfirmed();
    throw error;
  }
};

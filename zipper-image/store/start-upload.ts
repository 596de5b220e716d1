/**
 * Starts an upload. If the process is stopped during the request and ignores the response, an upload with an unknown ID
 * remains. So the response is awaited a little longer, and the upload can be aborted.
 */
import { type RetryPolicy, retry } from '#runtime/time/retry.ts';
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

/** Monotonic times of the first request without a response, and of the failure of the last one. */
export interface Unconfirmed {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface StartedUpload {
  readonly uploadId: string;
  /** Set if an earlier request may have started another upload. */
  readonly unconfirmed: Unconfirmed | undefined;
}

/**
 * Starts an upload and returns its ID, even if the process was stopped meanwhile. Then the caller must abort it. A
 * failed start may have left an upload unless the store clearly rejected it, or never received it; this is counted.
 */
export async function startUpload(deps: StartUploadDeps): Promise<StartedUpload> {
  const { store, key, attempt, retryPolicy, signal, graceMs, uploadsLeft } = deps;
  using late = createLateSignal(signal, graceMs);
  const tries: { unconfirmed?: Unconfirmed } = {};
  async function ask(): Promise<string> {
    const sentMs = performance.now();
    try {
      return await store.createUpload(key, attempt, late.signal);
    } catch (error) {
      if (!hasResponse(error) && !isUnsent(error))
        tries.unconfirmed = { fromMs: tries.unconfirmed?.fromMs ?? sentMs, toMs: performance.now() };
      throw error;
    }
  }
  try {
    const uploadId = await retry(ask, retryPolicy, signal);
    return { uploadId, unconfirmed: tries.unconfirmed };
  } catch (error) {
    if (tries.unconfirmed) uploadsLeft.startUnconfirmed();
    throw error;
  }
}

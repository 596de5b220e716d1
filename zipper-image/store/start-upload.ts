/**
 * The start of an upload, which a stop may meet on its way. Who stops listening then leaves an upload behind whose id nobody
 * ever learns: so the answer is waited for a while longer, and what it tells can be aborted.
 */
import { type RetryPolicy, retry } from '#runtime/retry.ts';
import { createLateSignal } from './late-signal.ts';
import { hasResponse } from './recover-upload.ts';
import type { Store } from './store.ts';
import type { UploadsLeftCount } from './uploads-left.ts';

export interface StartUploadDeps {
  readonly store: Pick<Store, 'createUpload'>;
  readonly key: string;
  readonly attempt: string;
  readonly retryPolicy: RetryPolicy;
  /** Ends further tries at once, and the one on its way after `graceMs`. */
  readonly signal: AbortSignal;
  readonly graceMs: number;
  readonly uploadsLeft: Pick<UploadsLeftCount, 'startUnconfirmed'>;
}

/**
 * Starts an upload and answers its id, also when it was told to stop meanwhile: who asked for it has to abort it then. Unless
 * the store plainly said no, a start that failed may have left an upload, and that is counted.
 */
export const startUpload = async (deps: StartUploadDeps): Promise<string> => {
  const { store, key, attempt, retryPolicy, signal, graceMs, uploadsLeft } = deps;
  using late = createLateSignal(signal, graceMs);
  const tries = { unacknowledged: 0 };
  const ask = async (): Promise<string> => {
    try {
      return await store.createUpload(key, attempt, late.signal);
    } catch (error) {
      if (!hasResponse(error)) tries.unacknowledged += 1;
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

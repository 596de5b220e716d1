import type { SettleOutcome, SettleTask } from '#crds/zipper-contract.ts';
import type { Logger } from '#runtime/log.ts';
import { settleUpload } from './settle-upload.ts';
import type { Store } from './store.ts';
import { StoreError } from './store-errors.ts';
import { type StoreRetrySettings, storeRetryPolicy } from './store-retry.ts';

export interface SettleTaskDeps {
  readonly task: SettleTask;
  readonly store: Store;
  readonly settings: StoreRetrySettings & { readonly settleLimitMs: number };
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

/**
 * Ends the upload of an attempt that is no longer in charge and tells whether it published its archive.
 * @throws StoreError when the store could not be asked in time.
 */
export const settle = async (deps: SettleTaskDeps): Promise<SettleOutcome> => {
  const { task, store, settings, log, stopping } = deps;
  const limit = AbortSignal.timeout(settings.settleLimitMs);
  const signal = AbortSignal.any([stopping, limit]);
  const upload = { ...task, state: task.uploadState };
  try {
    return await settleUpload(
      { store, log, signal, retryPolicy: () => storeRetryPolicy(settings, log) },
      upload,
    );
  } catch (error) {
    if (!limit.aborted || stopping.aborted) throw error;
    throw new StoreError(
      `Settling the upload: no answer from the store within ${settings.settleLimitMs} ms`,
      {
        code: 'StoreUnavailable',
        retryable: true,
        storeCode: 'Timeout',
        cause: error,
      },
    );
  }
};

import type { SettleOutcome, SettleTask } from '#crds/zipper-contract.ts';
import type { Logger } from '#runtime/log.ts';
import { retry } from '#runtime/retry.ts';
import { abortUpload, type SettleDeps, settleUpload, wasAnswered } from '../store/settle-upload.ts';
import type { Store } from '../store/store.ts';
import { isStoreCode, StoreError } from '../store/store-errors.ts';
import { type StoreRetrySettings, storeRetryPolicy } from '../store/store-retry.ts';
import { sweepUploads } from '../store/sweep-uploads.ts';

export interface SettleTaskDeps {
  readonly task: SettleTask;
  readonly store: Store;
  readonly settings: StoreRetrySettings & { readonly settleLimitMs: number };
  readonly log: Logger;
  readonly stopping: AbortSignal;
  readonly onAbortFailed: () => void;
}

type TaskOf<S extends SettleTask['uploadState']> = Extract<SettleTask, { uploadState: S }>;

/** The sweep beside a recorded upload is a courtesy: most of the time belongs to the upload itself. */
const SWEEP_SHARE = 0.25;

/** A mark to know our own by: an upload that is started only to be listed and aborted. Undefined: the store refuses it. */
const startMark = async (
  { store, retryPolicy, signal, log, onAbortFailed }: SettleDeps,
  { key, attempt }: SettleTask,
): Promise<string | undefined> => {
  try {
    return await retry(() => store.createUpload(key, attempt, signal), retryPolicy(), signal);
  } catch (error) {
    if (!wasAnswered(error)) throw error;
    log.warn(
      { err: error },
      'the store rejected a marker upload, so unrecorded uploads cannot be identified',
    );
    if (!isStoreCode(error, 'NoSuchBucket')) onAbortFailed?.();
    return undefined;
  }
};

/** Aborts what the attempt started and nobody knows of, told by a mark of our own. */
const sweepByMark = async (deps: SettleDeps, task: SettleTask): Promise<void> => {
  const uploadId = await startMark(deps, task);
  if (uploadId === undefined) return;
  const own = { key: task.key, uploadId };
  if ((await sweepUploads(deps, { own, since: new Date(task.since) })) === 'untold') deps.onAbortFailed?.();
  try {
    await abortUpload(deps, own);
  } catch (error) {
    deps.onAbortFailed?.();
    deps.log.warn({ err: error }, 'could not abort the marker upload');
  }
};

/** What became of the attempt's own upload is known already, and is told whatever comes of this. */
const sweepIfPossible = async (deps: SettleDeps, task: SettleTask): Promise<void> => {
  try {
    await sweepByMark(deps, task);
  } catch (error) {
    deps.log.info({ err: error }, 'could not determine whether unrecorded uploads of the key remain');
  }
};

const settleRecorded = async (
  deps: SettleDeps,
  task: TaskOf<'open' | 'committing'>,
  sweepLimitMs: number,
): Promise<SettleOutcome> => {
  const { key, uploadId, attempt, uploadState: state } = task;
  const limit = AbortSignal.timeout(sweepLimitMs);
  const signal = deps.signal ? AbortSignal.any([deps.signal, limit]) : limit;
  // Before the abort: afterwards nothing is listed any more by which others could be known as ours.
  const sweep = { own: { key, uploadId }, since: new Date(task.since) };
  const swept = await sweepUploads({ ...deps, signal }, sweep);
  const outcome = await settleUpload(deps, { key, uploadId, attempt, state });
  // The attempt ended its upload itself, and perhaps had no time left for others that it did not know of.
  if (swept === 'unlisted') await sweepIfPossible(deps, task);
  return outcome;
};

/** An upload without a record has no part and can never be completed, so all that can be left is the upload itself. */
const settleUnrecorded = async (deps: SettleDeps, task: SettleTask): Promise<SettleOutcome> => {
  await sweepByMark(deps, task);
  return { outcome: 'absent' };
};

/**
 * Ends the uploads of an attempt that is no longer in charge and tells whether it published its archive.
 * @throws StoreError when the store did not respond in time.
 */
export const settle = async (deps: SettleTaskDeps): Promise<SettleOutcome> => {
  const { task, store, settings, log, stopping, onAbortFailed } = deps;
  const { settleLimitMs } = settings;
  const limit = AbortSignal.timeout(settleLimitMs);
  const signal = AbortSignal.any([stopping, limit]);
  const retryPolicy = () => storeRetryPolicy(settings, log);
  const settleDeps: SettleDeps = { store, log, signal, retryPolicy, onAbortFailed };
  try {
    return task.uploadState === 'unrecorded'
      ? await settleUnrecorded(settleDeps, task)
      : await settleRecorded(settleDeps, task, settleLimitMs * SWEEP_SHARE);
  } catch (error) {
    if (!limit.aborted || stopping.aborted) throw error;
    throw new StoreError(
      `Could not recover the upload: the store did not respond within ${settleLimitMs} ms`,
      {
        code: 'StoreUnavailable',
        retryable: true,
        storeCode: 'Timeout',
        cause: error,
      },
    );
  }
};

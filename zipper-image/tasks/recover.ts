import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { RecoveryTask } from '#crds/zipper-task.ts';
import type { Logger } from '#runtime/log.ts';
import { retry } from '#runtime/retry.ts';
import { abortUpload, hasResponse } from '../store/abort-upload.ts';
import { type RecoveryDeps, recoverUpload } from '../store/recover-upload.ts';
import type { Store } from '../store/store.ts';
import { isStoreCode, StoreError } from '../store/store-errors.ts';
import { type StoreRetrySettings, storeRetryPolicy } from '../store/store-retry.ts';
import { sweepUploads } from '../store/sweep-uploads.ts';

export interface RecoveryTaskDeps {
  readonly task: RecoveryTask;
  readonly store: Store;
  readonly settings: StoreRetrySettings & {
    readonly recoveryLimitMs: number;
    readonly storeConsistencyMs: number;
  };
  readonly log: Logger;
  readonly stopping: AbortSignal;
  readonly onAbortFailed: () => void;
}

type TaskOf<S extends RecoveryTask['uploadState']> = Extract<RecoveryTask, { uploadState: S }>;

/** Best effort next to a recorded upload, which gets most of the time. */
const SWEEP_SHARE = 0.25;

/** Starts a marker upload, only to identify our own uploads in a listing. Undefined if the store rejects it. */
const startMark = async (
  { store, retryPolicy, signal, log, onAbortFailed }: RecoveryDeps,
  { key, attempt }: RecoveryTask,
): Promise<string | undefined> => {
  try {
    return await retry(() => store.createUpload(key, attempt, signal), retryPolicy(), signal);
  } catch (error) {
    if (!hasResponse(error)) throw error;
    log.warn(
      { err: error },
      'the store rejected a marker upload, so unrecorded uploads cannot be identified',
    );
    if (!isStoreCode(error, 'NoSuchBucket')) onAbortFailed?.();
    return undefined;
  }
};

/** Aborts unrecorded uploads of the attempt, identified with a marker upload. */
const sweepByMark = async (deps: RecoveryDeps, task: RecoveryTask): Promise<void> => {
  const uploadId = await startMark(deps, task);
  if (uploadId === undefined) return;
  const own = { key: task.key, uploadId };
  const swept = await sweepUploads(deps, { own, since: new Date(task.since), ownExists: true });
  if (swept !== 'swept') deps.onAbortFailed?.();
  try {
    await abortUpload(deps, own);
  } catch (error) {
    deps.onAbortFailed?.();
    deps.log.warn({ err: error }, 'could not abort the marker upload');
  }
};

/** The outcome of the attempt's own upload is already known and is reported even if this fails. */
const sweepIfPossible = async (deps: RecoveryDeps, task: RecoveryTask): Promise<void> => {
  try {
    await sweepByMark(deps, task);
  } catch (error) {
    deps.log.info({ err: error }, 'could not determine whether unrecorded uploads of the key remain');
  }
};

const recoverRecorded = async (
  deps: RecoveryDeps,
  task: TaskOf<'open' | 'committing'>,
  sweepLimitMs: number,
): Promise<RecoveryOutcome> => {
  const { key, uploadId, attempt, uploadState: state } = task;
  const limit = AbortSignal.timeout(sweepLimitMs);
  const signal = deps.signal ? AbortSignal.any([deps.signal, limit]) : limit;
  // Before the abort, because afterwards no upload of ours is listed to identify the others.
  const sweep = { own: { key, uploadId }, since: new Date(task.since), ownExists: false };
  const swept = await sweepUploads({ ...deps, signal }, sweep);
  const outcome = await recoverUpload(deps, { key, uploadId, attempt, state });
  // The attempt ended its upload itself, but may not have aborted unrecorded ones.
  if (swept === 'unlisted') await sweepIfPossible(deps, task);
  return outcome;
};

/** An unrecorded upload has no parts and cannot be completed, so only the upload itself can remain. */
const recoverUnrecorded = async (deps: RecoveryDeps, task: RecoveryTask): Promise<RecoveryOutcome> => {
  await sweepByMark(deps, task);
  return { outcome: 'absent' };
};

/**
 * Aborts the uploads of a deactivated attempt and returns whether it published its archive.
 * @throws StoreError when the store did not respond in time.
 */
export const recover = async (deps: RecoveryTaskDeps): Promise<RecoveryOutcome> => {
  const { task, store, settings, log, stopping, onAbortFailed } = deps;
  const { recoveryLimitMs } = settings;
  const limit = AbortSignal.timeout(recoveryLimitMs);
  const signal = AbortSignal.any([stopping, limit]);
  const retryPolicy = () => storeRetryPolicy(settings, log);
  const { storeConsistencyMs: consistencyMs } = settings;
  const recoveryDeps: RecoveryDeps = { store, log, signal, retryPolicy, onAbortFailed, consistencyMs };
  try {
    return task.uploadState === 'unrecorded'
      ? await recoverUnrecorded(recoveryDeps, task)
      : await recoverRecorded(recoveryDeps, task, recoveryLimitMs * SWEEP_SHARE);
  } catch (error) {
    if (!limit.aborted || stopping.aborted) throw error;
    throw new StoreError(
      `Could not recover the upload: the store did not respond within ${recoveryLimitMs} ms`,
      {
        code: 'StoreUnavailable',
        retryable: true,
        storeCode: 'Timeout',
        cause: error,
      },
    );
  }
};

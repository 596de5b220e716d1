import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { RecoveryTask } from '#crds/zipper-task.ts';
import type { Logger } from '#runtime/log/log.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { abortUpload, hasResponse } from '../store/abort-upload.ts';
import { type FinishDeps, finishUpload } from '../store/finish-upload.ts';
import { createLateSignal } from '../store/late-signal.ts';
import { recoverUpload } from '../store/recover-upload.ts';
import { type StartedUpload, startUpload } from '../store/start-upload.ts';
import type { Store } from '../store/store.ts';
import { isStoreCode, StoreError } from '../store/store-errors.ts';
import { lookUpPolicy, type StoreRetrySettings, storeRetryPolicy } from '../store/store-retry.ts';
import { type StartWindow, type Sweep, sweepUploads } from '../store/sweep-uploads.ts';

export interface RecoveryTaskDeps {
  readonly task: RecoveryTask;
  readonly store: Store;
  readonly settings: StoreRetrySettings & {
    readonly recoveryLimitMs: number;
    readonly storeConsistencyMs: number;
    readonly storeStartGraceMs: number;
    readonly storeIdleTimeoutMs: number;
  };
  readonly log: Logger;
  readonly stopping: AbortSignal;
  readonly onAbortFailed: () => void;
  readonly onCompleteSent: () => void;
  /** Monotonic time of the start of this process. Default: 0, as in a process of its own. */
  readonly startedMs?: number;
}

type TaskOf<S extends RecoveryTask['uploadState']> = Extract<RecoveryTask, { uploadState: S }>;

/** Best effort next to a recorded upload, which gets most of the time. */
const SWEEP_SHARE = 0.25;

interface Recovery {
  readonly deps: FinishDeps & { readonly signal: AbortSignal };
  /** How long the marker upload is started and aborted after a stop. */
  readonly graceMs: number;
  readonly task: RecoveryTask;
  /** Monotonic time of the start of this process, so the task was written at the latest then. */
  readonly startedMs: number;
}

/** How exactly the store's time is known after one response, which has whole seconds and takes some time. */
const STORE_TIME_STEP_MS = 2000;

/**
 * When the attempt, or an earlier recovery pod of it that was killed, may have started uploads, by the store's clock. It ends
 * when this task was written: until then only they start uploads of this key, and the next attempt, or another job, only after
 * the Job of this task was finished or deleted.
 *
 * The time of the task is converted with the clock of the node, which may be wrong. The start of this process needs no clock, but
 * may be later, because the pod waited for its node. The earlier end counts: an upload of the next attempt is never touched. It is
 * extended by the step of the store's clock, so that an upload of the last moment is found.
 */
function windowOf({ deps, task, startedMs }: Recovery): StartWindow | undefined {
  const now = performance.now();
  const storeNow = deps.store.clock.at(now);
  if (!storeNow) return undefined;
  const { earliest } = storeNow;
  const latest = Math.min(storeNow.latest, earliest + STORE_TIME_STEP_MS);
  const localNow = Date.now();
  const writtenAt = Date.parse(task.endedAt) + task.endedAgeSeconds * 1000;
  const endsAt = Math.min(writtenAt - localNow, startedMs - now);
  return { fromMs: Date.parse(task.since) - localNow + earliest, toMs: latest + endsAt };
}

function sweepOf(recovery: Recovery, own: Pick<Sweep, 'own' | 'ownExists'>): Sweep {
  return {
    ...own,
    isShared: recovery.task.sharedTarget === true,
    window: () => windowOf(recovery),
  };
}

/** Starts a marker upload, only to identify our own uploads in a listing. Undefined if the store rejects it. */
async function startMark({ deps, task, graceMs }: Recovery): Promise<StartedUpload | undefined> {
  const { key, attempt } = task;
  const startUnconfirmed = deps.onAbortFailed ?? (() => undefined);
  try {
    return await startUpload({
      ...deps,
      key,
      attempt,
      retryPolicy: deps.retryPolicy(),
      graceMs,
      uploadsLeft: { startUnconfirmed },
    });
  } catch (error) {
    if (!hasResponse(error)) throw error;
    deps.log.warn(
      { err: error },
      'the store rejected a marker upload, so unrecorded uploads cannot be identified',
    );
    if (!isStoreCode(error, 'NoSuchBucket')) deps.onAbortFailed?.();
    return undefined;
  }
}

/**
 * Aborts unrecorded uploads of the attempt, identified with a marker upload. The marker is aborted even after a stop: the
 * recovery ends early when its pod is deleted, and nobody else knows the marker.
 * @throws StoreError if the store did not respond: the pod of the next recovery Job finds what remains, this marker too, and one
 * whose start got no response. That one is later than the time of this task, which ends before the next attempt may start its own.
 */
async function sweepByMark(recovery: Recovery): Promise<void> {
  const { deps, task, graceMs } = recovery;
  using late = createLateSignal(deps.signal, graceMs);
  const mark = await startMark(recovery);
  if (!mark) return;
  const own = { key: task.key, uploadId: mark.uploadId };
  const swept = await sweepUploads(deps, sweepOf(recovery, { own, ownExists: true }));
  const isIncomplete = swept === 'unreachable' || mark.unconfirmed !== undefined;
  if (swept !== 'swept' || isIncomplete) deps.onAbortFailed?.();
  try {
    await abortUpload({ ...deps, signal: late.signal }, own);
  } catch (error) {
    deps.onAbortFailed?.();
    deps.log.warn({ err: error }, 'could not abort the marker upload');
    if (!hasResponse(error)) throw error;
  }
  if (!isIncomplete) return;
  deps.signal.throwIfAborted();
  throw unreachable();
}

/** The outcome of the attempt's own upload is already known and is reported even if this fails. */
async function sweepIfPossible(recovery: Recovery): Promise<void> {
  try {
    await sweepByMark(recovery);
  } catch (error) {
    recovery.deps.log.info(
      { err: error },
      'could not determine whether unrecorded uploads of the key remain',
    );
  }
}

async function recoverRecorded(
  recovery: Recovery,
  task: TaskOf<'open' | 'committing'>,
  sweepLimitMs: number,
): Promise<RecoveryOutcome> {
  const { deps, startedMs } = recovery;
  const { key, uploadId, attempt, bytes, uploadState: state, finish } = task;
  const endedMs = startedMs - task.endedAgeSeconds * 1000;
  const limit = AbortSignal.timeout(sweepLimitMs);
  const signal = AbortSignal.any([deps.signal, limit]);
  // Before the abort, because afterwards no upload of ours is listed to identify the others.
  const sweep = sweepOf(recovery, { own: { key, uploadId }, ownExists: false });
  const swept = await sweepUploads({ ...deps, signal }, sweep);
  const upload = { key, uploadId, attempt, bytes, state, endedMs };
  const outcome =
    finish && state === 'committing'
      ? await finishUpload(deps, upload, finish)
      : await recoverUpload(deps, upload);
  // The attempt ended its upload itself, but may not have aborted unrecorded ones.
  if (swept === 'unlisted') await (state === 'open' ? sweepByMark(recovery) : sweepIfPossible(recovery));
  else if (swept !== 'swept' && task.sharedTarget === true) deps.onAbortFailed?.();
  return outcome;
}

/** An unrecorded upload has no parts and cannot be completed, so only the upload itself can remain. */
async function recoverUnrecorded(recovery: Recovery): Promise<RecoveryOutcome> {
  await sweepByMark(recovery);
  return { outcome: 'absent' };
}

function unreachable(): StoreError {
  return new StoreError(
    'Could not determine which unfinished uploads of the key remain: the store did not respond',
    {
      code: 'StoreUnavailable',
      retryable: true,
      storeCode: 'Unreachable',
    },
  );
}

function tooSlow(limitMs: number, cause: unknown): StoreError {
  return new StoreError(`Could not recover the upload: the store did not respond within ${limitMs} ms`, {
    code: 'StoreUnavailable',
    retryable: true,
    storeCode: 'Timeout',
    cause,
  });
}

/**
 * Completes or aborts the uploads of a deactivated attempt and returns whether its archive is published.
 * @throws StoreError when the store did not respond in time, or may still be assembling the archive.
 */
export async function recover(deps: RecoveryTaskDeps): Promise<RecoveryOutcome> {
  const { task, store, settings, log, stopping, onAbortFailed, onCompleteSent, startedMs = 0 } = deps;
  const { recoveryLimitMs, storeConsistencyMs: consistencyMs, storeStartGraceMs: graceMs } = settings;
  const limit = AbortSignal.timeout(recoveryLimitMs);
  const signal = AbortSignal.any([stopping, limit]);
  function retryPolicy() {
    return lookUpPolicy(settings, log);
  }
  const recovery: Recovery = {
    deps: {
      store,
      log,
      signal,
      retryPolicy,
      onAbortFailed,
      onCompleteSent,
      consistencyMs,
      completePolicy: (limitMs) => storeRetryPolicy(settings, { log, limit: new RetryLimit(limitMs) }),
      retryLimitMs: settings.storeRetryLimitMs,
      idleTimeoutMs: settings.storeIdleTimeoutMs,
    },
    graceMs,
    task,
    startedMs,
  };
  try {
    return task.uploadState === 'unrecorded'
      ? await recoverUnrecorded(recovery)
      : await recoverRecorded(recovery, task, recoveryLimitMs * SWEEP_SHARE);
  } catch (error) {
    if (!limit.aborted || stopping.aborted || error instanceof StoreError) throw error;
    throw tooSlow(recoveryLimitMs, error);
  }
}

/** Ends an upload that must no longer be published, and determines whether it was. `evidence.ts` decides. */

import { setTimeout as delay } from 'node:timers/promises';
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { UploadState } from '#crds/zip-job.ts';
import { toError } from '#runtime/errors.ts';
import {
  type AbortDeps,
  type AbortOutcome,
  abortOnce,
  abortUpload,
  hasResponse,
  type Presence,
  uploadRemains,
} from './abort-upload.ts';
import {
  assemblyMs,
  judge,
  PARTS_PERMISSION,
  presenceBeforeAbort,
  presenceOf,
  READ_PERMISSION,
  readObject,
  type SeenObject,
  type Wanted,
} from './evidence.ts';
import type { UploadRef } from './store.ts';
import { isDenied, isStoreCode, StoreError } from './store-errors.ts';

export interface RecoveryDeps extends AbortDeps {
  /** How long the responses of the store may show an earlier state. */
  readonly consistencyMs: number;
  /** Called when an upload could not be aborted. */
  readonly onAbortFailed?: () => void;
}

export interface UploadToRecover extends Wanted {
  readonly state: UploadState['state'];
  /** Monotonic time at which the attempt ended, or sent its last Complete, at the latest. */
  readonly endedMs: number;
}

export const ABORT_PERMISSION = 's3:AbortMultipartUpload';

/** Number of checks while responses may show an earlier state. */
const CHECKS = 10;
/** An archive that takes minutes to appear is checked less often. */
const LONGEST_PAUSE_MS = 10_000;

/** Waits until the next check; longer, the longer it has waited since `startedAt`. */
export async function untilNextCheck(
  { consistencyMs, signal }: Pick<RecoveryDeps, 'consistencyMs' | 'signal'>,
  startedAt = performance.now(),
): Promise<void> {
  const waitedMs = performance.now() - startedAt;
  const pauseMs = Math.max(consistencyMs / CHECKS, Math.min(waitedMs / CHECKS, LONGEST_PAUSE_MS));
  await delay(pauseMs, undefined, signal ? { signal } : {});
}

/**
 * `noBucket`: a bucket that no longer exists has neither an upload nor an object. `refused`: the credentials lack the permission.
 * An error: the store rejected the abort for another reason.
 */
type AbortResponse = AbortOutcome | 'noBucket' | 'refused' | Error;

/**
 * Only a missing permission is final. Invalid credentials can be replaced, and any other rejection says nothing about
 * the upload or the object.
 */
async function abortIfPermitted(deps: RecoveryDeps, upload: UploadRef): Promise<AbortResponse> {
  try {
    return await abortOnce(deps, upload);
  } catch (error) {
    if (isStoreCode(error, 'NoSuchBucket')) return 'noBucket';
    if (!hasResponse(error)) throw error;
    deps.log.warn({ err: error }, 'could not abort the upload; checking whether it was published');
    return isDenied(error) ? 'refused' : toError(error);
  }
}

interface Round {
  readonly aborted: AbortResponse;
  readonly presence: Presence;
  readonly seen: SeenObject;
}

function noOutcome(deps: RecoveryDeps, { aborted, presence }: Round): RecoveryOutcome {
  deps.onAbortFailed?.();
  if (aborted === 'refused') return { outcome: 'unknown', missingPermission: ABORT_PERMISSION };
  if (aborted instanceof Error) throw aborted;
  if (presence === 'present') throw uploadRemains();
  return { outcome: 'unknown', missingPermission: PARTS_PERMISSION };
}

function ofObject(deps: RecoveryDeps, { aborted, presence, seen }: Round): RecoveryOutcome {
  // The controller compares the size, so an object of another size is reported with it.
  if (seen.found) return { outcome: 'published', ...seen.found };
  if (presence !== 'gone') deps.onAbortFailed?.();
  if (aborted instanceof Error) throw aborted;
  return { outcome: 'unknown', missingPermission: READ_PERMISSION };
}

/** The error at the end of the time of a recovery, whose next one continues. */
export function stillAssembling(cause: unknown): StoreError {
  return new StoreError('Could not recover the upload: the store may still be assembling the archive', {
    code: 'StoreUnavailable',
    retryable: true,
    storeCode: 'MayBeAssembling',
    cause,
  });
}

/** Follows a commit in rounds: abort, presence of the upload, object. The object is read last, after the upload is gone. */
class CommitFollower {
  readonly #deps: RecoveryDeps;
  readonly #upload: UploadToRecover;
  readonly #startedAt = performance.now();
  /** As the last round left it. */
  #presence: Presence = 'gone';
  #isAborted = false;
  #goneSince: number | undefined;
  /** When the store responded to the first abort. A listing may show the upload for a while after it. */
  #firstAbortAt = Infinity;
  /** How long the object may still appear after the upload is gone. */
  #appearsMs: number;
  readonly #assemblyMs: number;
  /** Until then, a Complete may still be carried out. */
  #runsUntilMs: number;

  constructor(deps: RecoveryDeps, upload: UploadToRecover) {
    this.#deps = deps;
    this.#upload = upload;
    this.#appearsMs = deps.consistencyMs;
    this.#assemblyMs = assemblyMs(upload.bytes ?? 0, deps.consistencyMs);
    this.#runsUntilMs = upload.endedMs + this.#assemblyMs;
  }

  async follow(): Promise<RecoveryOutcome> {
    const { signal } = this.#deps;
    try {
      await this.#untilListed();
      // Only an upload that existed before our abort was removed by it.
      this.#presence = await presenceBeforeAbort(this.#deps, this.#upload);
      for (;;) {
        const outcome = await this.#round();
        if (outcome) return outcome;
        await untilNextCheck(this.#deps, this.#isAssembling ? this.#startedAt : undefined);
      }
    } catch (error) {
      const isOutOfTime = signal?.aborted === true && !(error instanceof StoreError);
      throw isOutOfTime && this.#isAssembling ? stillAssembling(error) : error;
    }
  }

  /** Waits until listings show whether a Complete of the attempt removed the upload, unless the archive shows already. */
  async #untilListed(): Promise<void> {
    const { consistencyMs, signal } = this.#deps;
    const waitMs = this.#upload.endedMs + consistencyMs - performance.now();
    if (waitMs <= 0) return;
    const { object } = await readObject(this.#deps, this.#upload);
    if (object === 'other') await delay(waitMs, undefined, signal ? { signal } : {});
  }

  /** Set after the first round: the upload was gone, and not by our abort. */
  get #isAssembling(): boolean {
    return this.#goneSince !== undefined && !this.#isAborted;
  }

  /** When the store shows what became of the upload. */
  get #consistentAt(): number {
    if (this.#goneSince !== undefined) return this.#goneSince + this.#appearsMs;
    return this.#firstAbortAt + this.#deps.consistencyMs;
  }

  async #round(): Promise<RecoveryOutcome | undefined> {
    const deps = this.#deps;
    const startedAt = performance.now();
    const round = await this.#ask();
    const { presence, seen } = round;
    this.#goneSince = presence === 'gone' ? (this.#goneSince ?? performance.now()) : undefined;
    const isConsistent = startedAt >= this.#consistentAt;
    const verdict = judge({
      object: seen.object,
      upload: presence,
      isAborted: this.#isAborted,
      isConsistent,
      // An upload that the store still has is not being completed: then only the abort is repeated.
      mayRun: !isConsistent || (presence === 'gone' && startedAt < this.#runsUntilMs),
      isAcknowledged: false,
    });
    if (seen.object !== 'other') return ofObject(deps, round);
    if (verdict === 'absent') return { outcome: 'absent' };
    if (verdict === 'running') return undefined;
    return presence === 'gone' ? { outcome: 'unknown', goneBeforeAbort: true } : noOutcome(deps, round);
  }

  async #ask(): Promise<Round> {
    const before = this.#presence;
    const aborted = await abortIfPermitted(this.#deps, this.#upload);
    this.#firstAbortAt = Math.min(this.#firstAbortAt, performance.now());
    const reported = await presenceOf(this.#deps, this.#upload);
    // The response to an abort counts only if neither listing is permitted.
    const isGone = aborted === 'gone' || aborted === 'unconfirmed';
    const presence = reported === 'unreported' && isGone ? 'gone' : reported;
    if (before !== 'gone') this.#noteAbort(aborted, before);
    if (aborted === 'noBucket') this.#isAborted = true;
    // The abort may have done nothing, and a late Complete may remove the upload.
    if (this.#isAborted && presence === 'present') this.#appearsMs = this.#assemblyMs;
    this.#presence = presence;
    return { aborted, presence, seen: await readObject(this.#deps, this.#upload) };
  }

  /** Without its response, an abort may have arrived after a Complete. Then the object gets the time to appear. */
  #noteAbort(aborted: AbortResponse, before: Presence): void {
    this.#isAborted ||= aborted === 'accepted' || aborted === 'unconfirmed';
    if (aborted === 'unconfirmed') this.#appearsMs = this.#assemblyMs;
    // A late Complete has just removed it.
    if (aborted === 'gone' && before === 'present') this.#runsUntilMs = performance.now() + this.#assemblyMs;
  }
}

async function abortOpen(deps: RecoveryDeps, upload: UploadRef): Promise<void> {
  try {
    await abortUpload(deps, upload);
  } catch (error) {
    deps.onAbortFailed?.();
    if (!hasResponse(error) && !isStoreCode(error, 'UploadRemains')) throw toError(error);
    deps.log.warn({ err: error }, 'could not abort the upload; its parts may remain in the bucket');
  }
}

/** @throws StoreError if the store did not respond, or still has the upload; then the outcome stays unknown */
export async function recoverUpload(deps: RecoveryDeps, upload: UploadToRecover): Promise<RecoveryOutcome> {
  if (upload.state === 'committing') return new CommitFollower(deps, upload).follow();
  await abortOpen(deps, upload);
  // Complete is sent only after `committing` was recorded, so an open upload has published nothing.
  return { outcome: 'absent' };
}

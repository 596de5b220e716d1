/** Completes an upload and determines the outcome. `evidence.ts` decides; the response to Complete is no evidence. */
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { OnConflict } from '#crds/zip-job.ts';
import { AppError, toError } from '#runtime/errors.ts';
import { type RetryPolicy, retry } from '#runtime/time/retry.ts';
import type { Presence } from './abort-upload.ts';
import type { Part } from './complete-upload.ts';
import {
  assemblyMs,
  judge,
  presenceOf,
  READ_PERMISSION,
  readObject,
  type SeenObject,
  type Verdict,
} from './evidence.ts';
import { type Completed, followsFromParts } from './part-verification.ts';
import { type RecoveryDeps, recoverUpload, untilNextCheck } from './recover-upload.ts';
import { refuseExisting } from './refuse-existing.ts';
import { isStoreCode, isUnsent, StoreError } from './store-errors.ts';

export interface Publication {
  readonly key: string;
  readonly uploadId: string;
  readonly attempt: string;
  readonly bytes: number;
  readonly parts: readonly Part[];
  readonly onConflict: OnConflict;
  /** Another process may have sent Complete before, so that no response to ours shows what was published. */
  readonly isRepeated?: boolean;
}

export interface PublishDeps extends RecoveryDeps {
  /** Of Complete, while the store says each time that it did not carry it out, for this long. */
  readonly completePolicy: (limitMs: number) => RetryPolicy;
  /** How long Complete is repeated in addition to the time that one may take, and how long a store may be away after it. */
  readonly retryLimitMs: number;
  /** Maximum time without a byte in any other request. */
  readonly idleTimeoutMs: number;
  /** Called before the store may receive a Complete. Until then, nothing can be published. */
  readonly onSent?: () => void;
  /** Called when the store refused Complete, so that the upload was not published and can be aborted like any other. */
  readonly onRefused?: () => void;
  /** Called when an upload that was not published is certainly gone, so that nothing remains to recover. */
  readonly onGone?: () => void;
  /** Called with what the recovery after the last Complete found, before this fails because of it. */
  readonly onRecovered?: (found: RecoveryOutcome) => void;
}

type Response =
  | { readonly kind: 'completed'; readonly completed: Completed }
  /** The store did not carry out this Complete. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** The store did not say what it did, or the upload was gone. */
  | { readonly kind: 'lost'; readonly error: Error };

/**
 * True if the request was not carried out, or its run is over: the store never received it, or described its error itself. A
 * proxy does not know. NoSuchUpload says nothing, because whatever ended the upload may have completed it.
 */
function isOver(error: unknown): boolean {
  return (
    isUnsent(error) ||
    (error instanceof StoreError && error.isDocument && !isStoreCode(error, 'NoSuchUpload'))
  );
}

/** The object would have another CRC-32 than its parts have, so another Complete of the same parts is refused too. */
function isOtherChecksum(error: unknown): boolean {
  return isStoreCode(error, 'BadDigest', 'XAmzContentChecksumMismatch');
}

/** True if this Complete can have published nothing. An internal error may occur after it did. */
function isWithoutEffect(error: unknown): boolean {
  if (!isOver(error)) return false;
  if (isUnsent(error) || isOtherChecksum(error)) return true;
  return error instanceof StoreError && (error.isThrottle || !error.retryable);
}

interface Look {
  readonly verdict: Verdict;
  readonly seen: SeenObject;
  /** Known only while the object does not show. */
  readonly upload: Presence;
}

/**
 * True if a look explains why Complete found an object that it must not replace. That object may be ours, because a proxy may
 * have repeated the request. It is not ours if the store still has the upload, or shows the object of somebody else.
 */
function isOfObject({ verdict, seen, upload }: Look): boolean {
  return (
    verdict === 'published' || seen.isForeign === true || seen.object === 'denied' || upload === 'present'
  );
}

function unknownOutcome(remedy: string, cause: unknown): AppError {
  return new AppError(
    `Completing the upload: the store does not report whether the archive exists${remedy}`,
    {
      code: 'OutcomeUnknown',
      retryable: true,
      cause,
    },
  );
}

function remedyFor(permission: string | undefined): string {
  return permission === undefined ? '' : `. Grant the credentials ${permission}`;
}

function remedyOf({ seen }: Look): string {
  return remedyFor(seen.object === 'denied' ? READ_PERMISSION : undefined);
}

/** Fails if neither another Complete nor an abort can decide. */
function requireUndecided(look: Look, isCompleted: boolean, failure: Error): void {
  if (look.seen.object === 'resized' && isCompleted) throw failure;
  if (look.seen.object !== 'other' || look.upload === 'gone') throw unknownOutcome(remedyOf(look), failure);
}

/** The code of a Complete whose object does not match its parts. */
export const MISMATCH = 'EtagMismatch';

function mismatch(): StoreError {
  return new StoreError('Could not complete the upload: the object does not match its parts', {
    code: 'StoreCorrupted',
    retryable: true,
    storeCode: MISMATCH,
  });
}

/** One publication. Complete is not repeated while an earlier one may still be carried out. */
class Publishing {
  readonly #deps: PublishDeps;
  readonly #upload: Publication;
  readonly #assemblyMs: number;
  readonly #startedAt = performance.now();
  #sentAt = 0;
  /** The store may have received the last Complete. */
  #isSent = false;
  /** Completes that may have published the archive although their response does not say so. */
  #unclear: number;

  constructor(deps: PublishDeps, upload: Publication) {
    this.#deps = deps;
    this.#upload = upload;
    this.#unclear = upload.isRepeated === true ? 1 : 0;
    this.#assemblyMs = assemblyMs(upload.bytes, deps.consistencyMs);
  }

  async run(): Promise<{ readonly etag: string }> {
    for (;;) {
      const response = await this.#complete();
      if (response.kind === 'refused') return this.#refused(response.error);
      const end = await this.#follow(response);
      if (end) return end;
    }
  }

  /** Undefined if nothing was published, and Complete can be sent again. */
  async #follow(
    response: Exclude<Response, { kind: 'refused' }>,
  ): Promise<{ readonly etag: string } | undefined> {
    const etag = response.kind === 'completed' ? await this.#etagOf(response.completed) : undefined;
    const isCompleted = etag !== undefined;
    const failure = response.kind === 'lost' ? response.error : mismatch();
    const look = await this.#awaitVerdict(isCompleted, failure);
    if (look.verdict === 'published') return { etag: look.seen.found?.etag ?? etag ?? '' };
    this.#unclear += 1;
    requireUndecided(look, isCompleted, failure);
    const isOutOfTime = performance.now() - this.#startedAt >= this.#limitMs;
    return look.verdict === 'open' && !isOutOfTime ? undefined : this.#end(failure);
  }

  /** A Complete that fails at the end of an assembly is still repeated. */
  get #limitMs(): number {
    return this.#assemblyMs + this.#deps.retryLimitMs;
  }

  /** True if this Complete was not carried out, or its run is over. */
  #isOver(error: unknown): boolean {
    return !this.#isSent || isOver(error);
  }

  async #complete(): Promise<Response> {
    const { store, idleTimeoutMs, onSent, signal } = this.#deps;
    const { parts, onConflict } = this.#upload;
    const how = {
      onConflict,
      signal,
      limitMs: Math.ceil(Math.max(this.#assemblyMs, idleTimeoutMs)),
      onSent: (isSent: boolean) => {
        this.#isSent = isSent;
        this.#sentAt = performance.now();
        if (isSent) onSent?.();
      },
    };
    const send = async (): Promise<Completed> => {
      how.onSent(false);
      try {
        return await store.completeUpload(this.#upload, parts, how);
      } catch (error) {
        if (this.#isSent && !isWithoutEffect(error)) this.#unclear += 1;
        throw error;
      }
    };
    const completePolicy = this.#deps.completePolicy(this.#limitMs);
    const policy = {
      ...completePolicy,
      isRetryable: (error: unknown) =>
        this.#isOver(error) && !isOtherChecksum(error) && completePolicy.isRetryable?.(error) === true,
    };
    try {
      return { kind: 'completed', completed: await retry(send, policy, signal) };
    } catch (error) {
      signal?.throwIfAborted();
      return { kind: this.#isOver(error) ? 'refused' : 'lost', error: toError(error) };
    }
  }

  /** A wrong object is deleted if it is ours. */
  async #etagOf(completed: Completed): Promise<string> {
    const { log, store, onGone } = this.#deps;
    if (followsFromParts(completed, this.#upload.parts) !== 'no') return completed.etag;
    try {
      const { seen } = await this.#awaitVerdict(false, mismatch());
      if (seen.found) await store.deleteObject(this.#upload.key);
      if (seen.found) onGone?.();
    } catch (error) {
      log.error({ err: error }, 'could not delete a corrupted archive');
    }
    throw mismatch();
  }

  /** Asks until the object shows, or the time is over in which the store may still assemble it. */
  async #awaitVerdict(
    isCompleted: boolean,
    failure: Error,
    isEnough = ({ verdict }: Look): boolean => verdict !== 'running',
  ): Promise<Look> {
    const { consistencyMs, retryLimitMs, log } = this.#deps;
    const startedAt = performance.now();
    const untilMs = Math.max(this.#sentAt + this.#assemblyMs, startedAt + consistencyMs);
    if (!isCompleted)
      log.warn({ err: failure }, 'Complete failed; checking whether the archive was published anyway');
    for (let heardAt = startedAt; ; ) {
      const askedAt = performance.now();
      const look = await this.#look(isCompleted, askedAt < untilMs);
      if (look && isEnough(look)) return look;
      if (look) heardAt = performance.now();
      else if (askedAt >= untilMs && askedAt - heardAt >= retryLimitMs) throw unknownOutcome('', failure);
      await untilNextCheck(this.#deps, startedAt);
    }
  }

  /** Undefined if the store did not respond. The upload matters only while the object does not show. */
  async #look(isCompleted: boolean, mayRun: boolean): Promise<Look | undefined> {
    try {
      const seen = await readObject(this.#deps, this.#upload);
      const upload = seen.object === 'other' ? await presenceOf(this.#deps, this.#upload) : 'unreported';
      const verdict = judge({
        object: seen.object,
        upload,
        isAborted: false,
        isConsistent: false,
        mayRun,
        isAcknowledged: isCompleted && this.#unclear === 0,
      });
      return { verdict, seen, upload };
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'could not check whether the archive was published');
      return undefined;
    }
  }

  async #refused(failure: Error): Promise<{ readonly etag: string }> {
    if (this.#unclear > 0) return this.#end(failure);
    if (isStoreCode(failure, 'PreconditionFailed')) {
      function isEnough(look: Look): boolean {
        return look.verdict !== 'running' || isOfObject(look);
      }
      const look = await this.#awaitVerdict(false, failure, isEnough);
      if (look.verdict === 'published') return { etag: look.seen.found?.etag ?? '' };
      if (!isOfObject(look)) throw unknownOutcome(remedyOf(look), failure);
    }
    this.#deps.onRefused?.();
    throw failure;
  }

  /** Aborts, so that no archive appears later, unless one was published. */
  async #end(failure: Error): Promise<{ readonly etag: string }> {
    const upload = { ...this.#upload, state: 'committing', endedMs: this.#sentAt } as const;
    const found = await recoverUpload(this.#deps, upload).catch((error: unknown) => {
      throw unknownOutcome('', error);
    });
    if (found.outcome === 'published' && found.bytes === this.#upload.bytes) return { etag: found.etag };
    this.#deps.onRecovered?.(found);
    if (found.outcome === 'absent') {
      this.#deps.onGone?.();
      throw failure;
    }
    throw unknownOutcome(
      remedyFor(found.outcome === 'unknown' ? found.missingPermission : undefined),
      failure,
    );
  }
}

/**
 * Publishes and verifies the archive.
 * @throws StoreError if nothing was published; AppError OutcomeUnknown if the store does not reveal it; the reason of the signal,
 * after which a Complete that was sent may still be carried out.
 */
export async function publish(deps: PublishDeps, upload: Publication): Promise<{ readonly etag: string }> {
  if (upload.onConflict === 'fail' && !deps.store.capabilities.conditionalComplete)
    // The whole archive is uploaded, so the store gets as much time as for a part.
    await refuseExisting({ ...deps, retryPolicy: () => deps.completePolicy(deps.retryLimitMs) }, upload.key);
  return new Publishing(deps, upload).run();
}

/**
 * Status writes of this pod, and their order.
 *
 * 1. `activate`: the first write. It is rejected until this pod is active; the pod retries until its start deadline.
 * 2. From then on, a rejection with the mark of our policy means that another pod is active: everything stops (`Superseded`). Any
 *    other rejection counts only if it lasts, because an API server that starts refuses what it will soon permit.
 * 3. Progress is best effort: one write at a time, never awaited, failures ignored. What must be known before the next
 *    step (`open` before the first part, `committing` before Complete, the result) is retried until it succeeds, however long the
 *    API server is away.
 * 4. The controller may ask for less progress (`status.progressIntervalSeconds`). Each response has its newest value, and it
 *    delays nothing but progress.
 *
 * Each write holds every field: an apply removes the fields of its manager that it leaves out.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Failure, Progress, SourceCheck, UploadState, ZipperStatus, ZipResult } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { AppError, toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type RetryPolicy, retry } from '#runtime/time/retry.ts';
import type { OwnZipJob } from './own-zip-job.ts';
import type { StatusApi } from './status-api.ts';
import { StatusError } from './status-error.ts';
import { withoutRenamed } from './without-renamed.ts';

export interface StatusSettings {
  readonly statusActivationIntervalMs: number;
  readonly statusProgressIntervalMs: number;
  /** How long required writes may be refused without a mark. */
  readonly statusRefusalLimitMs: number;
  readonly statusRetryBaseMs: number;
  readonly statusRetryMaxMs: number;
}

export interface StatusWriterDeps {
  readonly api: StatusApi;
  readonly settings: StatusSettings;
  readonly log: Logger;
  /** The counts as they are now. */
  readonly progress: () => Progress;
  /** What the upload says about its checkpoints. */
  readonly checkpoint?: () => CheckpointCounts;
  /** Called with each response, before anything else is written. */
  readonly onResponse?: (zipJob: OwnZipJob) => void;
  /** What is known of the sources, once they are checked. */
  readonly sourceCheck?: () => SourceCheck | undefined;
  /** Called once when the API server reports that another pod is active. */
  readonly onSuperseded: (error: Error) => void;
}

export type CheckpointCounts = Pick<UploadState, 'checkpoint' | 'checkpointFailures'>;

export interface StatusWriter {
  /** Waits until this pod is active; returns the ZipJob. @throws AppError NotActive after the start deadline. */
  activate(startDeadlineMs: number, signal: AbortSignal): Promise<OwnZipJob>;
  /** Starts to write progress when it changes; call the returned function to stop. */
  startProgress(signal: AbortSignal): () => Promise<void>;
  /** Writes what the controller relies on; retries until the signal aborts. @throws StatusError if this pod is not active. */
  write(change: StatusChange, signal?: AbortSignal): Promise<void>;
}

export interface StatusChange {
  readonly upload?: UploadState;
  readonly result?: ZipResult;
  readonly failure?: Failure;
}

/**
 * The controller's writes name a resourceVersion, so each progress write makes concurrent ones fail. The pause between
 * two of our writes is this many times their duration. Otherwise the controller could never write to a slow API server.
 */
const QUIET_SHARE = 4;

interface Counts {
  readonly progress: Progress;
  readonly sourceCheck?: SourceCheck;
  readonly upload?: UploadState;
}

/** Changes of time-dependent fields alone are not worth a write. */
function withoutTime({ progress, ...others }: Counts): string {
  const { updatedAt: _at, bytesPerSecond: _rate, estimatedEndAt: _end, ...counts } = progress;
  return JSON.stringify({ ...counts, ...others });
}

function isSuperseded(error: unknown): boolean {
  return error instanceof StatusError && error.code === 'Superseded';
}

class ZipJobStatusWriter implements StatusWriter {
  readonly #deps: StatusWriterDeps;
  #kept: ZipperStatus = {};
  #written = '';
  #queue: Promise<unknown> = Promise.resolve();
  #intervalMs: number;
  /** Restarts the wait for the next progress. */
  #onIntervalChange: () => void = () => undefined;

  constructor(deps: StatusWriterDeps) {
    this.#deps = deps;
    this.#intervalMs = deps.settings.statusProgressIntervalMs;
  }

  async activate(startDeadlineMs: number, signal: AbortSignal): Promise<OwnZipJob> {
    const deadline = performance.now() + startDeadlineMs;
    for (;;) {
      try {
        return await this.#apply(signal);
      } catch (error) {
        if (!(error instanceof StatusError) || error.code === 'Internal') throw error;
        if (performance.now() >= deadline) throw tooLate(error, startDeadlineMs);
        this.#deps.log.debug({ err: error }, 'this pod is not active yet');
      }
      await delay(this.#deps.settings.statusActivationIntervalMs, undefined, { signal });
    }
  }

  startProgress(signal: AbortSignal): () => Promise<void> {
    let last: Promise<void> = Promise.resolve();
    let timer: NodeJS.Timeout | undefined;
    function writeAfter(ms: number): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        last = writeAndSchedule();
      }, ms);
    }
    const writeAndSchedule = async (): Promise<void> => {
      const started = performance.now();
      await this.#writeProgress(signal);
      const tookMs = performance.now() - started;
      if (timer !== undefined) writeAfter(Math.max(this.#intervalMs, QUIET_SHARE * tookMs));
    };
    this.#onIntervalChange = () => {
      if (timer !== undefined) writeAfter(this.#intervalMs);
    };
    writeAfter(this.#intervalMs);
    return () => {
      clearTimeout(timer);
      timer = undefined;
      return last;
    };
  }

  async write(change: StatusChange, signal?: AbortSignal): Promise<void> {
    this.#kept = { ...this.#kept, ...change };
    const { settings, log } = this.#deps;
    let refusedSince: number | undefined;
    const apply = async (): Promise<void> => {
      try {
        await this.#applyActive(signal);
      } catch (error) {
        const isRefusal = error instanceof StatusError && error.isRefusal;
        refusedSince = isRefusal ? (refusedSince ?? performance.now()) : undefined;
        if (refusedSince === undefined || performance.now() - refusedSince < settings.statusRefusalLimitMs)
          throw error;
        const ended = refusedTooLong(error as StatusError, settings.statusRefusalLimitMs);
        this.#deps.onSuperseded(ended);
        throw ended;
      }
    };
    const policy: RetryPolicy = {
      baseDelayMs: settings.statusRetryBaseMs,
      maxDelayMs: settings.statusRetryMaxMs,
      isRetryable: (error) => error instanceof StatusError && error.retryable,
      onRetry: (error, attempt) => log.warn({ err: error, attempt }, 'retrying a status write'),
    };
    await retry(apply, policy, signal);
  }

  /** One write at a time: a late progress must not overwrite what came after it. */
  #apply(signal?: AbortSignal): Promise<OwnZipJob> {
    const turn = this.#queue.then(async () => {
      const counts = this.#counts();
      this.#kept = { ...this.#kept, ...counts };
      const response = await this.#send(this.#kept, signal);
      this.#written = withoutTime(counts);
      this.#followInterval(response);
      this.#deps.onResponse?.(response);
      return response;
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** After a rollback, the API server refuses fields that it does not know, and the job must still end. */
  async #send(status: ZipperStatus, signal?: AbortSignal): Promise<OwnZipJob> {
    const { api } = this.#deps;
    try {
      return await api.apply(status, signal);
    } catch (error) {
      const isOfContent = error instanceof StatusError && error.isOfContent;
      const shorter = isOfContent ? withoutRenamed(status) : undefined;
      if (!shorter) throw error;
      return await api.apply(shorter, signal);
    }
  }

  #followInterval({ status }: OwnZipJob): void {
    const wantedMs = (status?.progressIntervalSeconds ?? 0) * 1000;
    const intervalMs = Math.max(this.#deps.settings.statusProgressIntervalMs, wantedMs);
    if (intervalMs === this.#intervalMs) return;
    this.#intervalMs = intervalMs;
    this.#onIntervalChange();
  }

  #counts(): Counts {
    const { progress, sourceCheck, checkpoint } = this.#deps;
    const upload = this.#kept.upload && { ...this.#kept.upload, ...checkpoint?.() };
    return { progress: progress(), ...defined({ sourceCheck: sourceCheck?.(), upload }) };
  }

  async #applyActive(signal?: AbortSignal): Promise<void> {
    try {
      await this.#apply(signal);
    } catch (error) {
      if (isSuperseded(error)) this.#deps.onSuperseded(toError(error));
      throw error;
    }
  }

  async #writeProgress(signal: AbortSignal): Promise<void> {
    if (signal.aborted || withoutTime(this.#counts()) === this.#written) return;
    try {
      await this.#applyActive(signal);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'could not write progress');
    }
  }
}

/** Creates the one writer of this pod's status. */
export function createStatusWriter(deps: StatusWriterDeps): StatusWriter {
  return new ZipJobStatusWriter(deps);
}

function refusedTooLong(error: StatusError, limitMs: number): StatusError {
  return new StatusError(
    `${error.message}; the API server has refused it for ${Math.round(limitMs / 1000)} s`,
    {
      code: error.isOfContent ? 'Internal' : 'Superseded',
      httpStatus: error.httpStatus,
      cause: error,
    },
  );
}

function tooLate(error: StatusError, startDeadlineMs: number): AppError {
  const seconds = Math.round(startDeadlineMs / 1000);
  return error.code === 'Superseded' || error.isRefusal
    ? new AppError(
        `The pod was not activated within ${seconds} s. The controller may be down, or another pod is active`,
        {
          code: 'NotActive',
          retryable: true,
          cause: error,
        },
      )
    : new AppError(`The pod was not activated: the API server did not respond within ${seconds} s`, {
        code: 'ApiServerUnavailable',
        retryable: true,
        cause: error,
      });
}

import type { ZipJob } from '#crds/zip-job.ts';
import { toError } from '#runtime/errors.ts';
import type { Change, ObjectKey, Reflector } from '#runtime/kube/types.ts';
import { objectKey } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import { backoffMs } from '#runtime/time/retry.ts';
import { isLeaving } from '../cluster/release.ts';
import type { ControllerConfig } from '../config/config.ts';
import { createDueTimes } from '../reconciling/due-times.ts';
import { archiveDueAt, isStillChanging } from '../zip-job/policies/archiving.ts';
import { type ArchiveQueue, createArchiveQueue } from './archive-queue.ts';
import type { StoreBatch, Stored } from './batch.ts';
import { Wake } from './wake.ts';

/*
 * Where a finished ZipJob is on its way into the history, and what moves it on:
 *
 *     unknown ── its webhook or pod may still change its status ──> later ── `archiveDueAt`, or nothing changes any more ──┐
 *        └──────────────── its status is final, or it is being deleted ────────────────────────────────────────────> queued
 *                                                                                                                        │
 *     stored <── done ── in a batch (`#taken`) <── `store` takes it: round-robin over projects, oldest first ─────────────┘
 *                             │
 *                             ├── early: stored, but its status may still change: it waits for its final status (`#storedEarly`)
 *                             ├── changed: it changed since it was read ──> queued
 *                             ├── later: its status could not be written ──> later, for `archiveRetrySeconds`
 *                             └── the batch failed, or was full before it ──> queued
 *
 * Every change of the ZipJob (`#follow`) decides where it is, from nothing but the ZipJob. Nothing is lost if the process ends: a
 * ZipJob keeps its finalizer until its row is committed, and the next leader has seen the same changes. If the queue is full,
 * jobs are left out (`#isIncomplete`) and read from the cache again when the queue is empty.
 */

export type ArchiverConfig = Pick<
  ControllerConfig,
  | 'historyHost'
  | 'archivePendingSeconds'
  | 'archiveQueueLength'
  | 'archiveBatchRows'
  | 'archiveBatchWaitMs'
  | 'archiveRetrySeconds'
>;

export interface ArchiverOptions {
  readonly config: ArchiverConfig;
  readonly zipJobs: () => Pick<Reflector<ZipJob>, 'get' | 'values'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the timers, which would keep the process alive. */
  readonly signal: AbortSignal;
}

/**
 * Stores every finished ZipJob in the history. Every replica follows the ZipJobs, so that a new leader continues at once; only
 * the leader stores.
 */
export interface Archiver {
  see(change: Change<ZipJob>): void;
  /** Stores what is due until the signal aborts. Never throws: a database that is away delays only this. */
  run(store: StoreBatch, signal: AbortSignal): Promise<void>;
  /** ZipJobs that are due and not archived yet, including those that are tried again later. */
  readonly size: number;
  /** The earliest end of one of them, in milliseconds since 1970. */
  oldestMs(): number | undefined;
}

const FIRST_BACKOFF_MS = 1_000;

class HistoryArchiver implements Archiver {
  readonly #options: ArchiverOptions;
  readonly #queue: ArchiveQueue;
  readonly #later;
  /** The ends of jobs that were taken from the queue: they are in a batch, or will be tried again. */
  readonly #taken = new Map<ObjectKey, number>();
  /** Jobs of which this process has stored an earlier version, because their webhook or pod took long. */
  readonly #storedEarly = new Set<ObjectKey>();
  /** True if the queue was full: jobs of the cache are missing in it. */
  #isIncomplete = false;
  readonly #wake = new Wake();

  constructor(options: ArchiverOptions) {
    this.#options = options;
    const { config, clock, signal } = options;
    this.#queue = createArchiveQueue(config.archiveQueueLength);
    this.#later = createDueTimes({ clock, onDue: (key) => this.#followCached(key) });
    signal.addEventListener('abort', () => this.#later.clear());
  }

  get size(): number {
    return this.#queue.size + this.#taken.size;
  }

  oldestMs(): number | undefined {
    let oldestMs = this.#queue.oldestMs() ?? Infinity;
    for (const finishedAtMs of this.#taken.values()) oldestMs = Math.min(oldestMs, finishedAtMs);
    return oldestMs === Infinity ? undefined : oldestMs;
  }

  see(change: Change<ZipJob>): void {
    if (change.kind === 'set') this.#follow(change.object);
    else this.#forget(change.key);
  }

  async run(store: StoreBatch, signal: AbortSignal): Promise<void> {
    const { config, clock, log } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      if (!(await this.#hasWork(signal))) continue;
      if (this.#queue.size < config.archiveBatchRows) await pause(clock, config.archiveBatchWaitMs, signal);
      const batch = new Set<ObjectKey>();
      try {
        const results = await store({ next: () => this.#take(batch), isRetry: failures > 0, signal });
        for (const result of results) this.#finish(result, batch);
        if (failures > 0) log.info({ pending: this.size }, 'the history database responds again');
        failures = 0;
      } catch (error) {
        failures += 1;
        const err = toError(error);
        log.warn({ err, pending: this.size }, 'could not store finished jobs in the history, will retry');
      }
      // A batch that failed, or ended at its limit of bytes.
      for (const key of batch) this.#followCached(key);
      const backoff = { baseDelayMs: FIRST_BACKOFF_MS, maxDelayMs: config.archiveRetrySeconds * 1000 };
      if (failures > 0) await pause(clock, backoffMs(backoff, failures), signal);
    }
  }

  async #hasWork(signal: AbortSignal): Promise<boolean> {
    if (this.#queue.size === 0 && this.#isIncomplete) {
      this.#isIncomplete = false;
      for (const zipJob of this.#options.zipJobs().values()) this.#follow(zipJob);
    }
    if (this.#queue.size > 0) return true;
    await this.#wake.wait(signal);
    return false;
  }

  #take(batch: Set<ObjectKey>): ObjectKey | undefined {
    const next = this.#queue.take();
    if (!next) return undefined;
    batch.add(next.key);
    this.#taken.set(next.key, next.finishedAtMs);
    return next.key;
  }

  #follow(zipJob: ZipJob): void {
    const { config, clock, signal } = this.#options;
    const key = objectKey(zipJob);
    const at = archiveDueAt(zipJob, config)?.getTime();
    if (at === undefined || (this.#storedEarly.has(key) && isStillChanging(zipJob))) {
      this.#remove(key);
      return;
    }
    const waitMs = isStillChanging(zipJob) ? at - clock.date().getTime() : 0;
    if (waitMs > 0) {
      this.#taken.delete(key);
      if (!signal.aborted) this.#later.add(key, clock.monotonicMs() + waitMs);
      return;
    }
    this.#later.remove(key);
    const isUrgent = isLeaving(zipJob.metadata);
    if (this.#queue.add({ key, finishedAtMs: at, isUrgent })) this.#taken.delete(key);
    else this.#isIncomplete = true;
    this.#wake.call();
  }

  #followCached(key: ObjectKey): void {
    const zipJob = this.#options.zipJobs().get(key);
    if (zipJob) this.#follow(zipJob);
  }

  #remove(key: ObjectKey): void {
    this.#queue.remove(key);
    this.#later.remove(key);
    this.#taken.delete(key);
  }

  #forget(key: ObjectKey): void {
    this.#remove(key);
    this.#storedEarly.delete(key);
  }

  #finish({ key, kind }: Stored, batch: Set<ObjectKey>): void {
    batch.delete(key);
    if (kind === 'early') this.#storedEarly.add(key);
    else this.#storedEarly.delete(key);
    if (kind === 'later') return this.#retryLater(key);
    this.#taken.delete(key);
    if (kind === 'changed') this.#followCached(key);
  }

  #retryLater(key: ObjectKey): void {
    const { clock, config, signal } = this.#options;
    // Otherwise it was deleted meanwhile, or changed and is in the queue again.
    if (!this.#taken.has(key) || signal.aborted) return;
    this.#later.add(key, clock.monotonicMs() + config.archiveRetrySeconds * 1000);
  }
}

export function createArchiver(options: ArchiverOptions): Archiver {
  return new HistoryArchiver(options);
}

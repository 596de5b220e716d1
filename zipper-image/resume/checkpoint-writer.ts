/**
 * When checkpoints are written.
 *
 * 1. Not before the controller has created the object (`status.checkpointed`), so small jobs send nothing.
 * 2. One at a time, a while after the one before, and only if the store has confirmed parts since. The data path never waits for it.
 * 3. A failed one is counted and forgotten, because the next one contains everything. Once another pod is active, there is none.
 * 4. While many jobs run, the controller asks for a longer time between two progress writes. A checkpoint waits that long for each
 *    20 KiB, so that it takes no more of the API server than progress does (ADR 61).
 */
import { MOST_RECORDS_LENGTH, type ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import type { ControllerStatus } from '#crds/zip-job.ts';
import { AppError, toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type Clock, systemClock } from '#runtime/time/clock.ts';
import { runWithin } from '#runtime/time/time-limit.ts';
import type { CheckpointApi } from '../status/checkpoint-api.ts';
import { StatusError } from '../status/status-error.ts';
import { encodeRecords } from './document.ts';
import type { FileRecord, Records } from './types.ts';

export interface CheckpointWriterDeps {
  readonly api: Pick<CheckpointApi, 'read' | 'write'>;
  /** Shortest time between two checkpoints. */
  readonly settings: { readonly checkpointIntervalMs: number };
  readonly log: Logger;
  /** What all checkpoints of this pod say about its upload. */
  readonly upload: Pick<ZipCheckpointStatus, 'uploadId' | 'owner' | 'plan'>;
  /** Sequence of the newest checkpoint of earlier pods, if there is one, and whether it is about the same upload. */
  readonly last?: { readonly sequence: number; readonly isOfUpload: boolean } | undefined;
  /** Parts that the store has confirmed to this pod. A checkpoint is written only if there are more than before. */
  readonly partsConfirmed: () => number;
  /** The records as they are now, with at least these parts. They do not change afterwards. */
  readonly records: () => Records;
  readonly clock?: Pick<Clock, 'after' | 'monotonicMs'>;
  /** From 0, and below 1. */
  readonly random?: () => number;
}

export interface CheckpointWriter {
  /** Follows a response to a status write: starts when there is an object to write to, and takes over the interval. */
  follow(status: Pick<ControllerStatus, 'checkpointed' | 'progressIntervalSeconds'> | undefined): void;
  /** Sequence of the newest checkpoint of this upload; undefined if there is none. */
  readonly sequence: number | undefined;
  /** Checkpoints of this pod that could not be written. */
  readonly failures: number;
  /**
   * Stops the schedule, and writes a last checkpoint if parts were confirmed since the last one.
   * @returns whether the newest checkpoint contains every confirmed part. Never throws
   */
  writeLast(limitMs: number): Promise<boolean>;
  /** Stops the schedule. A write that is under way is aborted. Never throws */
  stop(): Promise<void>;
}

/** Added to the interval at random, so that jobs that started together spread. */
const JITTER = 0.2;
/** Of the interval: the first checkpoint comes sooner, because until then everything would be lost. */
const FIRST_SHARE = 1 / 2;
/** Of the interval: while no part was confirmed, this is the time until the next look. */
const LOOK_SHARE = 1 / 30;
/** The controller's budgets are 50 progress writes and 1 MiB a second: this many bytes a write. */
const BYTES_OF_A_WRITE = 2 ** 20 / 50;
/** A write that takes longer is given up. */
const WRITE_LIMIT_MS = 30_000;

function tooSlow(limitMs: number): AppError {
  const text = `The checkpoint was not written within ${limitMs} ms`;
  return new AppError(text, { code: 'ApiServerUnavailable', retryable: true });
}

/** Without the validators of finished files, which are of use only if the store has lost one of their parts. */
function withoutValidators(files: readonly FileRecord[]): readonly FileRecord[] {
  return files.map(({ validator, ...file }) =>
    validator === undefined || file.entry?.crc !== undefined ? file : { ...file, validator },
  );
}

/** @throws AppError if there is no text of these records that an object can hold */
async function textOf({ files, parts }: Records): Promise<string> {
  const whole = await encodeRecords({ files, parts });
  if (whole.length <= MOST_RECORDS_LENGTH) return whole;
  const shorter = await encodeRecords({ files: withoutValidators(files), parts });
  if (shorter.length <= MOST_RECORDS_LENGTH) return shorter;
  const text = `The checkpoint would have more than ${MOST_RECORDS_LENGTH} characters`;
  throw new AppError(text, { code: 'Internal', retryable: false });
}

class ScheduledCheckpointWriter implements CheckpointWriter {
  readonly #deps: CheckpointWriterDeps;
  readonly #clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly #cancel = new AbortController();
  readonly #stopped = new AppError('No checkpoint is needed', { code: 'Terminated', retryable: false });
  sequence: number | undefined;
  failures = 0;
  /** Sequence of the newest checkpoint that the object may have. Undefined: to be read. */
  #highest: number | undefined;
  #partsWritten = 0;
  #lengthWritten = 0;
  #progressSeconds = 0;
  /** When the writer started, then the end of the last write, by the clock. Undefined: not started. */
  #sinceMs: number | undefined;
  /** The next wait in intervals. */
  #share: number;
  #timer: Disposable | undefined;
  #running: Promise<void> | undefined;
  #isScheduled = true;
  /** Another pod is active, or `stop` was called. */
  #isOver = false;
  #loggedFault: string | undefined;

  constructor(deps: CheckpointWriterDeps) {
    const { clock = systemClock, last } = deps;
    this.#deps = deps;
    this.#clock = clock;
    this.#highest = last?.sequence ?? 0;
    if (last?.isOfUpload === true) this.sequence = last.sequence;
    this.#share = FIRST_SHARE * this.#jitter();
  }

  follow(status: Parameters<CheckpointWriter['follow']>[0]): void {
    this.#progressSeconds = status?.progressIntervalSeconds ?? 0;
    if (status?.checkpointed === true) this.#sinceMs ??= this.#clock.monotonicMs();
    this.#schedule();
  }

  async writeLast(limitMs: number): Promise<boolean> {
    this.#endSchedule();
    using _limit = this.#clock.after(limitMs, () => this.#cancel.abort(tooSlow(limitMs)));
    await this.#running;
    if (this.#isOver || this.#sinceMs === undefined) return false;
    if (this.#hasMore && !this.#cancel.signal.aborted) await this.#write();
    return !this.#hasMore && this.sequence !== undefined;
  }

  async stop(): Promise<void> {
    this.#endSchedule();
    this.#isOver = true;
    this.#cancel.abort(this.#stopped);
    await this.#running;
  }

  get #hasMore(): boolean {
    return this.#deps.partsConfirmed() > this.#partsWritten;
  }

  #jitter(): number {
    const { random = Math.random } = this.#deps;
    return 1 + JITTER * random();
  }

  #endSchedule(): void {
    this.#isScheduled = false;
    this.#timer?.[Symbol.dispose]();
  }

  get #intervalMs(): number {
    const writes = Math.max(1, Math.ceil(this.#lengthWritten / BYTES_OF_A_WRITE));
    return Math.max(this.#deps.settings.checkpointIntervalMs, this.#progressSeconds * 1000 * writes);
  }

  #schedule(leastMs = 0): void {
    if (!this.#isScheduled || this.#running !== undefined || this.#sinceMs === undefined) return;
    const dueMs = this.#sinceMs + this.#share * this.#intervalMs;
    const waitMs = Math.max(leastMs, dueMs - this.#clock.monotonicMs());
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#clock.after(waitMs, () => this.#look());
  }

  #look(): void {
    if (this.#hasMore) this.#running = this.#writeAndSchedule();
    else this.#schedule(LOOK_SHARE * this.#deps.settings.checkpointIntervalMs);
  }

  async #writeAndSchedule(): Promise<void> {
    await this.#write();
    this.#running = undefined;
    this.#sinceMs = this.#clock.monotonicMs();
    this.#share = this.#jitter();
    this.#schedule();
  }

  /** Never throws. */
  async #write(): Promise<void> {
    const { signal } = this.#cancel;
    const limit = { ms: WRITE_LIMIT_MS, signal, timeoutError: () => tooSlow(WRITE_LIMIT_MS) };
    try {
      await runWithin(limit, (aborted) => this.#writeNow(aborted));
    } catch (error) {
      if (error !== this.#stopped) this.#fail(toError(error));
    }
  }

  async #writeNow(signal: AbortSignal): Promise<void> {
    const { api, upload, partsConfirmed, records } = this.#deps;
    // Before the records, which may have more.
    const parts = partsConfirmed();
    const text = await textOf(records());
    const highest = this.#highest ?? (await api.read(signal))?.sequence ?? 0;
    // Also if it fails, because it may have been written nevertheless.
    this.#highest = highest + 1;
    await api.write({ sequence: highest + 1, ...upload, records: text }, signal);
    this.sequence = highest + 1;
    this.#partsWritten = parts;
    this.#lengthWritten = text.length;
    this.#loggedFault = undefined;
  }

  #fail(error: Error): void {
    this.failures += 1;
    if (error instanceof StatusError && error.code === 'Superseded') {
      this.#isOver = true;
      this.#endSchedule();
    }
    // The sequence may be one that the object already has: that of an earlier pod, which did not report it.
    if (error instanceof StatusError && error.isRefusal) this.#highest = undefined;
    if (error.message === this.#loggedFault) return;
    this.#loggedFault = error.message;
    this.#deps.log.warn({ err: error }, 'could not write a checkpoint');
  }
}

/** Creates the writer of this pod's checkpoints. Does nothing before the first call of `follow`. */
export function createCheckpointWriter(deps: CheckpointWriterDeps): CheckpointWriter {
  return new ScheduledCheckpointWriter(deps);
}

import { toError } from '#runtime/errors.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { purgeProject } from '#runtime/history/keep.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import { backoffMs } from '#runtime/time/retry.ts';
import type { ControllerConfig } from '../config/config.ts';
import type { ControllerMetrics } from '../metrics.ts';
import { Wake } from './wake.ts';

/** A user's command to delete all records of a project. */
export interface PurgeOrder {
  readonly nonce: string;
  readonly projectUid: string;
  /** Deleted by a process that died before it was finished. */
  readonly records: number;
}

export interface PurgeState extends Pick<PurgeOrder, 'nonce' | 'records'> {
  readonly isComplete: boolean;
  /** The last attempt failed. The log says why: an error names the database, and users of the project may read the status. */
  readonly hasFailed?: boolean;
}

/** Deletes records of projects on command of a user. The status of the ZipProject has the commands; this is the work. */
export interface Purges {
  /** Undefined if nothing was started, or it was forgotten. */
  of(key: ObjectKey): PurgeState | undefined;
  start(key: ObjectKey, order: PurgeOrder): void;
  /** Also stops it. */
  forget(key: ObjectKey): void;
  /** Works until the signal aborts, one project after another. Never throws: it retries while the database is away. */
  run(work: PurgeWork, signal: AbortSignal): Promise<void>;
}

export interface PurgeWork {
  readonly database: Pick<HistoryDatabase, 'query'>;
  readonly metrics: Pick<ControllerMetrics, 'history'>;
}

export interface PurgesOptions {
  readonly config: Pick<ControllerConfig, 'archiveRetrySeconds'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the state of a project has changed. */
  readonly onChange: (key: ObjectKey) => void;
}

/** A statement deletes as many rows as the retention does. */
const BATCH_ROWS = 1_000;
/** After these, the status gets the number, and another project has its turn. */
const BATCHES_PER_TURN = 20;
const FIRST_BACKOFF_MS = 1_000;

interface Purge extends PurgeOrder {
  records: number;
  isComplete: boolean;
  hasFailed: boolean;
}

class HistoryPurges implements Purges {
  readonly #options: PurgesOptions;
  /** In the order of their turns. */
  readonly #purges = new Map<ObjectKey, Purge>();
  readonly #wake = new Wake();

  constructor(options: PurgesOptions) {
    this.#options = options;
  }

  of(key: ObjectKey): PurgeState | undefined {
    const purge = this.#purges.get(key);
    if (!purge) return undefined;
    const { nonce, records, isComplete, hasFailed } = purge;
    return { nonce, records, isComplete, ...(hasFailed && { hasFailed }) };
  }

  start(key: ObjectKey, order: PurgeOrder): void {
    if (this.#purges.get(key)?.nonce === order.nonce) return;
    this.#purges.set(key, { ...order, isComplete: false, hasFailed: false });
    this.#wake.call();
  }

  forget(key: ObjectKey): void {
    this.#purges.delete(key);
  }

  async run(work: PurgeWork, signal: AbortSignal): Promise<void> {
    const { config, clock, log, onChange } = this.#options;
    const maxDelayMs = config.archiveRetrySeconds * 1000;
    function isOver(): boolean {
      return signal.aborted;
    }
    let failures = 0;
    while (!isOver()) {
      const [key, purge] = this.#next() ?? [];
      if (key === undefined || purge === undefined) {
        await this.#wake.wait(signal);
        continue;
      }
      try {
        await this.#turn(key, work, signal);
        purge.hasFailed = false;
        failures = 0;
      } catch (error) {
        if (isOver()) return;
        failures += 1;
        purge.hasFailed = true;
        log.warn(
          { err: toError(error), project: key },
          'could not delete the records of a project, will retry',
        );
      }
      this.#toTheEnd(key, purge);
      onChange(key);
      if (failures > 0)
        await pause(clock, backoffMs({ baseDelayMs: FIRST_BACKOFF_MS, maxDelayMs }, failures), signal);
    }
  }

  #next(): readonly [ObjectKey, Purge] | undefined {
    for (const entry of this.#purges) if (!entry[1].isComplete) return entry;
    return undefined;
  }

  /** Counts after each statement, so that a later failure loses no number. */
  async #turn(key: ObjectKey, { database, metrics }: PurgeWork, signal: AbortSignal): Promise<void> {
    const purge = this.#purges.get(key);
    for (let batch = 0; batch < BATCHES_PER_TURN && !signal.aborted; batch += 1) {
      // Forgotten, or replaced by another command.
      if (purge === undefined || this.#purges.get(key) !== purge) return;
      const target = { projectUid: purge.projectUid, endedBefore: 'infinity' };
      const { rows } = await purgeProject(database, target, {
        batchRows: BATCH_ROWS,
        mostBatches: 1,
        signal,
      });
      purge.records += rows;
      metrics.history.purgedRows.inc(rows);
      purge.isComplete = rows === 0;
      if (purge.isComplete) return;
    }
  }

  #toTheEnd(key: ObjectKey, purge: Purge): void {
    if (this.#purges.get(key) !== purge) return;
    this.#purges.delete(key);
    this.#purges.set(key, purge);
  }
}

export function createPurges(options: PurgesOptions): Purges {
  return new HistoryPurges(options);
}

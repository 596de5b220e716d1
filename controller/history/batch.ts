import type { Reason } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { HistoryEntry } from '#runtime/history/history-job.ts';
import type { ObjectClient, ObjectKey } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { ControllerConfig } from '../config/config.ts';
import type { ControllerMetrics } from '../metrics.ts';
import type { ApplyStatus } from '../reconciling/apply-status.ts';
import type { OwnedStatus } from '../zip-job/observation.ts';
import type { OwnerOf } from './project-uids.ts';

/**
 * How one ZipJob of a batch ended. `early`: stored before its status was final. `changed`: it changed since it was read.
 * `later`: its status could not be written.
 */
export interface Stored {
  readonly key: ObjectKey;
  readonly kind: 'done' | 'early' | 'changed' | 'later';
}

export interface BatchSource {
  /** Removes and returns the next key. */
  readonly next: () => ObjectKey | undefined;
  /** True after a failure: the database must respond before anything is read for it. */
  readonly isRetry: boolean;
  readonly signal: AbortSignal;
}

/**
 * Stores one batch and returns how each of its jobs ended.
 * @throws the error of the API server or of the database if nothing is known about the batch, which is safe to repeat
 */
export type StoreBatch = (source: BatchSource) => Promise<readonly Stored[]>;

/** What the archiver needs of the history. Both are safe to repeat, and throw the errors of a HistoryDatabase. */
export interface HistoryWrites {
  probe(signal: AbortSignal): Promise<void>;
  /** In one transaction. */
  write(entries: readonly HistoryEntry[]): Promise<void>;
}

/** A ZipJob as the API server has it. */
export interface BatchJob {
  readonly key: ObjectKey;
  readonly zipJob: ZipJob;
  /** Its row. Absent if the history cannot have it. */
  readonly entry?: HistoryEntry;
  /** Its status does not change any more. */
  readonly isFinal: boolean;
  /** The database cannot store its row yet: it is tried again later. */
  readonly isDeferred?: boolean;
  /** Why the history cannot have it. */
  readonly refusal?: { readonly reason: Reason; readonly message?: string };
}

export interface StoreBatchOptions {
  readonly config: Pick<
    ControllerConfig,
    'historyHost' | 'archivePendingSeconds' | 'archiveBatchRows' | 'archiveBatchBytes' | 'archiveConcurrency'
  >;
  readonly zipJobs: Pick<ObjectClient<ZipJob>, 'get'>;
  readonly applyStatus: ApplyStatus<ZipJob, OwnedStatus>;
  readonly ownerOf: OwnerOf;
  readonly writes: HistoryWrites;
  readonly metrics: Pick<ControllerMetrics, 'history'>;
  readonly clock: Pick<Clock, 'date'>;
  readonly log: Logger;
}

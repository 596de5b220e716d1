import type { ZipJob } from '#crds/zip-job.ts';
import { AppError } from '#runtime/errors.ts';
import type { ReadJob } from '#runtime/history/read-job.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { runWithin } from '#runtime/time/time-limit.ts';
import { createInFlight } from '../limits/in-flight.ts';
import type { ApiMetrics } from '../metrics.ts';
import { createCircuit } from './circuit.ts';

export interface HistoryQuery {
  readonly namespace: string;
  /** metadata.uid of the ZipProject. */
  readonly projectUid: string;
  readonly uuid: string;
}

/**
 * The archived form of a finished job. Undefined if the history does not have it.
 * @throws ApiError concurrency_limit_exceeded, service_unavailable; AppError HistoryUnavailable, HistoryPaused (both retryable),
 * HistoryRefused
 */
export type ReadHistory = (query: HistoryQuery, signal: AbortSignal) => Promise<ZipJob | undefined>;

export interface ReadHistoryDeps {
  readonly readJob: ReadJob;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly metrics: Pick<ApiMetrics, 'historyReads' | 'historyReadSeconds' | 'overloads'>;
  readonly settings: {
    /** Maximum concurrent reads. */
    readonly historyMaxReads: number;
    /** Time limit of one read. */
    readonly historyReadTimeoutMs: number;
    readonly historyPauseMs: number;
    readonly maxActiveRequests: number;
  };
}

function timeoutError(ms: number): AppError {
  return new AppError(`The history database did not respond within ${ms} ms. Check it.`, {
    code: 'HistoryUnavailable',
    retryable: true,
  });
}

/** A quarter of the places is always left for requests that need no history. */
function maxReadsOf({ historyMaxReads, maxActiveRequests }: ReadHistoryDeps['settings']): number {
  return Math.max(1, Math.min(historyMaxReads, Math.floor(maxActiveRequests * 0.75)));
}

/**
 * Reads of single jobs within limits: in number, shared fairly by projects; in time; and none for a moment after several have
 * failed. So a database that is slow or away delays no request that does not need it.
 */
export function createReadHistory({ readJob, clock, metrics, settings }: ReadHistoryDeps): ReadHistory {
  const { historyReadTimeoutMs: ms, historyPauseMs: pauseMs } = settings;
  const circuit = createCircuit({ clock, pauseMs });
  const reads = createInFlight({
    name: 'history',
    max: maxReadsOf(settings),
    onRefused: (limit) => metrics.overloads.inc({ limit }),
  });

  async function measured(query: HistoryQuery, signal: AbortSignal): Promise<ZipJob | undefined> {
    const startedAt = clock.monotonicMs();
    try {
      return await runWithin({ ms, signal, timeoutError: () => timeoutError(ms) }, (ending) =>
        readJob({ projectUid: query.projectUid, id: query.uuid }, ending),
      );
    } finally {
      metrics.historyReadSeconds.observe((clock.monotonicMs() - startedAt) / 1_000);
    }
  }

  return async (query, signal) => {
    using share = reads.open(query.namespace);
    share.take(1);
    try {
      const job = await circuit(() => measured(query, signal));
      metrics.historyReads.inc({ outcome: job === undefined ? 'missing' : 'found' });
      return job;
    } catch (error) {
      const isPaused = error instanceof AppError && error.code === 'HistoryPaused';
      metrics.historyReads.inc({ outcome: isPaused ? 'paused' : 'failed' });
      throw error;
    }
  };
}

import { AppError } from '#runtime/errors.ts';
import { runWithin } from '#runtime/time/time-limit.ts';

function timeoutOf(ms: number): AppError {
  return new AppError(`no response from the history within ${ms} ms`, {
    code: 'HistoryUnavailable',
    retryable: true,
  });
}

/**
 * A read of the history, whose time limit is its own: the time that the API server took does not count.
 * @throws AppError HistoryUnavailable at the limit
 */
export function readHistory<T>(ms: number, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return runWithin({ ms, timeoutError: () => timeoutOf(ms) }, read);
}

/** True if a read of the history failed because the database does not respond. */
export function isHistoryAway(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === 'HistoryUnavailable';
}

export const HISTORY_AWAY =
  'The history database does not respond, so finished jobs that left the cluster cannot be shown. Try again in a moment.';

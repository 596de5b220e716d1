import { AppError } from '#runtime/errors.ts';

/** True if a read of the history failed because the database does not respond, or not within the time of the request. */
export const isHistoryAway = (thrown: unknown, signal: AbortSignal): boolean =>
  (thrown instanceof AppError && thrown.code === 'HistoryUnavailable') ||
  (signal.aborted && thrown === signal.reason);

export const HISTORY_AWAY =
  'The history database does not respond, so finished jobs that left the cluster cannot be shown. Try again in a moment.';

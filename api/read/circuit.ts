import { AppError } from '#runtime/errors.ts';
import type { Clock } from '#runtime/time/clock.ts';

/** So many failures in a row start a pause. One alone may be a connection that the server closed. */
const MAX_FAILURES = 3;

export interface CircuitDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Length of a pause. */
  readonly pauseMs: number;
}

/**
 * Runs a task, or throws the error at once during a pause. Pauses start when the last three tasks were unavailable. After each,
 * one task is tried alone, and its result ends the pause or starts the next one.
 * @throws AppError HistoryUnavailable with the rest of the pause as retryAfterMs; the error of the task
 */
export type Circuit = <T>(task: () => Promise<T>) => Promise<T>;

function pausedError(retryAfterMs: number): AppError {
  return new AppError(
    'The history database did not respond to the last reads, so it is not asked for a moment. Check it if this continues.',
    { code: 'HistoryPaused', retryable: true, retryAfterMs },
  );
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'HistoryUnavailable';
}

/** Without it, every request for an unknown job would wait for the time limit of a database that does not respond. */
export function createCircuit({ clock, pauseMs }: CircuitDeps): Circuit {
  let failures = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let isTrying = false;

  function failed(error: unknown): void {
    if (!isUnavailable(error)) return;
    failures += 1;
    pausedUntil = clock.monotonicMs() + pauseMs;
  }

  return async (task) => {
    const isTrial = failures >= MAX_FAILURES;
    const restMs = pausedUntil - clock.monotonicMs();
    if (isTrial && (isTrying || restMs > 0)) throw pausedError(Math.max(restMs, 0));
    isTrying = isTrial;
    try {
      const result = await task();
      failures = 0;
      return result;
    } catch (error) {
      failed(error);
      throw error;
    } finally {
      if (isTrial) isTrying = false;
    }
  };
}

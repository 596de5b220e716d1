import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from './errors.ts';

export interface RetryPolicy {
  /** Total attempts, including the first. */
  readonly attempts: number;
  /** Upper bound of the first wait, doubled for each further one. The wait is random between 0 and the bound (full jitter). */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** Longest Retry-After to wait for. A longer one ends the retries. */
  readonly maxRetryAfterMs?: number;
  readonly isRetryable?: (error: unknown) => boolean;
  /** True if the failed attempt made more progress than all before it. Its failure then counts as the first one. */
  readonly gotFurther?: (error: unknown) => boolean;
  readonly onRetry?: (error: unknown, attempt: number, delayMs: number) => void;
}

const defaultIsRetryable = (error: unknown): boolean => error instanceof AppError && error.retryable;

/** Upper bound of the wait after the given attempt (from 1), in milliseconds. */
export const backoffBoundMs = (
  policy: Pick<RetryPolicy, 'baseDelayMs' | 'maxDelayMs'>,
  attempt: number,
): number => Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** Math.min(attempt - 1, 30));

/** Wait before the next attempt. Undefined if there is none. */
const nextDelayMs = (policy: RetryPolicy, error: unknown, attempt: number): number | undefined => {
  const isRetryable = policy.isRetryable ?? defaultIsRetryable;
  if (attempt >= policy.attempts || !isRetryable(error)) return undefined;
  const asked = error instanceof AppError ? error.retryAfterMs : undefined;
  if (asked === undefined) return Math.random() * backoffBoundMs(policy, attempt);
  return asked > (policy.maxRetryAfterMs ?? policy.maxDelayMs) ? undefined : asked;
};

/**
 * Runs `task` until it succeeds, fails with an error that is not retryable, or has no attempts left; then throws the
 * last error. If the signal aborts, a wait ends immediately and throws the reason of the signal.
 */
export const retry = async <T>(
  task: (attempt: number) => Promise<T>,
  policy: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await task(attempt);
    } catch (error) {
      signal?.throwIfAborted();
      if (policy.gotFurther?.(error) === true) attempt = 1;
      const delayMs = nextDelayMs(policy, error, attempt);
      if (delayMs === undefined) throw error;
      policy.onRetry?.(error, attempt, delayMs);
      await delay(delayMs, undefined, signal ? { signal } : {});
    }
  }
};

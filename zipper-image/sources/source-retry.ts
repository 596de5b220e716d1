import { defined } from '#runtime/collections/optional.ts';
import { AppError, errorCode } from '#runtime/errors.ts';
import type { RetryPolicy } from '#runtime/time/retry.ts';
import type { RetryLimit } from '#runtime/time/retry-limit.ts';
import type { SourceSettings } from './settings.ts';

/** A source that stalls takes a whole time limit to fail. It may be one bad server among several. */
const LEAST_ATTEMPTS = 4;

/** When a source is retried; `mayRepeat` is true if another attempt can replace or continue what was passed on before this error. */
export function sourceRetryPolicy(
  settings: SourceSettings,
  limit: RetryLimit,
  mayRepeat: (error: AppError) => boolean,
): Omit<RetryPolicy, 'onRetry'> {
  return {
    limit,
    leastAttempts: settings.sourceRetryLimitMs === 0 ? 1 : LEAST_ATTEMPTS,
    baseDelayMs: settings.sourceRetryBaseMs,
    maxDelayMs: settings.sourceRetryMaxMs,
    maxRetryAfterMs: settings.sourceRetryAfterMaxMs,
    isRetryable: (error) => error instanceof AppError && error.retryable && mayRepeat(error),
  };
}

/** Details for the log. Without the cause of an unreachable source, which would distinguish a refused address from a closed port. */
export function describeFailure(error: unknown): Readonly<Record<string, unknown>> {
  const code = errorCode(error);
  const cause = error instanceof Error && code !== 'SourceUnreachable' ? errorCode(error.cause) : undefined;
  return { code, ...defined({ cause }) };
}

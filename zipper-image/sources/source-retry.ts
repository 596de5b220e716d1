import { AppError, errorCode } from '#runtime/errors.ts';
import { defined } from '#runtime/optional.ts';
import type { RetryPolicy } from '#runtime/retry.ts';
import type { SourceSettings } from './settings.ts';

/** When a source is retried; `mayRepeat` is true if none of its bytes were passed on yet. */
export const sourceRetryPolicy = (
  settings: SourceSettings,
  mayRepeat: () => boolean,
): Omit<RetryPolicy, 'onRetry'> => ({
  attempts: settings.sourceAttempts,
  baseDelayMs: settings.sourceRetryBaseMs,
  maxDelayMs: settings.sourceRetryMaxMs,
  maxRetryAfterMs: settings.sourceRetryAfterMaxMs,
  isRetryable: (error) => error instanceof AppError && error.retryable && mayRepeat(),
});

/** Details for the log. Without the cause of an unreachable source, which would distinguish a refused address from a closed port. */
export const describeFailure = (error: unknown): Readonly<Record<string, unknown>> => {
  const code = errorCode(error);
  const cause = error instanceof Error && code !== 'SourceUnreachable' ? errorCode(error.cause) : undefined;
  return { code, ...defined({ cause }) };
};

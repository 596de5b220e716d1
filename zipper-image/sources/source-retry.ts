import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { AppError, errorCode } from '#runtime/errors.ts';
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

/** Details for the operator's log, the only output with the reason for a refused address. */
export const describeFailure = (error: unknown): Readonly<Record<string, unknown>> => {
  const cause = error instanceof Error ? error.cause : undefined;
  const refusal = cause instanceof EgressRefusedError ? { refused: cause.reason } : {};
  return { code: errorCode(error), cause: errorCode(cause), ...refusal };
};

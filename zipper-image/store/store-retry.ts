import type { Logger } from '#runtime/log.ts';
import type { RetryPolicy } from '#runtime/retry.ts';
import { StoreError } from './store-errors.ts';

export interface StoreRetrySettings {
  readonly storeAttempts: number;
  readonly storeThrottledAttempts: number;
  readonly storeRetryBaseMs: number;
  readonly storeRetryMaxMs: number;
}

/** The retry policy of one request. Throttling has its own, larger number of attempts. */
export const storeRetryPolicy = (
  settings: StoreRetrySettings,
  log: Logger,
  onRetry?: () => void,
): RetryPolicy => {
  let failures = 0;
  return {
    attempts: settings.storeThrottledAttempts,
    baseDelayMs: settings.storeRetryBaseMs,
    maxDelayMs: settings.storeRetryMaxMs,
    isRetryable: (error) => {
      if (!(error instanceof StoreError) || !error.retryable) return false;
      if (error.isThrottle) return true;
      failures += 1;
      return failures < settings.storeAttempts;
    },
    onRetry: (error, attempt, delayMs) => {
      onRetry?.();
      log.info({ err: error, attempt, delayMs }, 'retrying a request to the store');
    },
  };
};

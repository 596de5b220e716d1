import type { Logger } from '#runtime/log/log.ts';
import type { RetryPolicy } from '#runtime/time/retry.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { StoreError } from './store-errors.ts';

export interface StoreRetrySettings {
  /** How long requests are retried while none of their kind succeeds. */
  readonly storeRetryLimitMs: number;
  readonly storeRetryBaseMs: number;
  readonly storeRetryMaxMs: number;
}

/** An abort or a look-up must not use up the time in which a pod may still report. */
const LOOK_UP_LIMIT_MS = 10_000;
/** A host that does not resolve is most likely a typing error in the bucket, which must fail soon. */
const UNKNOWN_HOST_LIMIT_MS = 5_000;

function isRetryable(error: unknown): boolean {
  return error instanceof StoreError && error.retryable;
}

/** Other errors of this kind are not retryable. */
function isUnknownHost(error: unknown): boolean {
  return error instanceof StoreError && error.retryable && error.code === 'BucketMisconfigured';
}

/** The policy of the requests that share the limit. `onRetry` counts them. */
export function storeRetryPolicy(
  settings: StoreRetrySettings,
  {
    log,
    limit,
    onRetry,
  }: { readonly log: Logger; readonly limit: RetryLimit; readonly onRetry?: () => void },
): RetryPolicy {
  return {
    limit,
    baseDelayMs: settings.storeRetryBaseMs,
    maxDelayMs: settings.storeRetryMaxMs,
    isRetryable,
    onRetry: (error, attempt, delayMs) => {
      onRetry?.();
      log.info({ err: error, attempt, delayMs }, 'retrying a request to the store');
    },
  };
}

/** The policy of one abort or look-up. */
export function lookUpPolicy(settings: StoreRetrySettings, log: Logger, onRetry?: () => void): RetryPolicy {
  const limit = new RetryLimit(Math.min(settings.storeRetryLimitMs, LOOK_UP_LIMIT_MS));
  return storeRetryPolicy(settings, { log, limit, ...(onRetry && { onRetry }) });
}

/** The policy of the first request of an upload: an unusable bucket fails the job at once, and an unreachable store does not. */
export function startPolicy(settings: StoreRetrySettings, log: Logger, onRetry: () => void): RetryPolicy {
  const limit = new RetryLimit(settings.storeRetryLimitMs);
  let unknownSince: number | undefined;
  return {
    ...storeRetryPolicy(settings, { log, limit, onRetry }),
    isRetryable: (error) => {
      if (!isUnknownHost(error)) unknownSince = undefined;
      else unknownSince ??= performance.now();
      const isUnknown =
        unknownSince !== undefined && performance.now() - unknownSince >= UNKNOWN_HOST_LIMIT_MS;
      return isRetryable(error) && !isUnknown;
    },
  };
}

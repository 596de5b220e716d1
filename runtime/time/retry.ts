import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { RetryLimit } from './retry-limit.ts';

/** How long to wait after failures. */
export interface Backoff {
  /** Upper bound of the first wait, doubled for each further one. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

export interface RetryPolicy extends Backoff {
  /** Total attempts, including the first. Default: no limit. */
  readonly attempts?: number;
  /** Limits the time of the retries. May be shared by all requests of a kind. */
  readonly limit?: RetryLimit;
  /** Attempts that are made although the limit is over, because each may take as long as the limit. Default: 1. */
  readonly leastAttempts?: number;
  /**
   * Longest wait for a Retry-After. Default: maxDelayMs. A longer one ends the retries if `attempts` limits them, because the few
   * that are left would come too early; otherwise it is cut to this.
   */
  readonly maxRetryAfterMs?: number;
  readonly isRetryable?: (error: unknown) => boolean;
  /** True if the failed attempt made progress. Its failure then counts as the first one. */
  readonly gotFurther?: (error: unknown) => boolean;
  readonly onRetry?: (error: unknown, attempt: number, delayMs: number) => void;
}

function defaultIsRetryable(error: unknown): boolean {
  return error instanceof AppError && error.retryable;
}

/**
 * The wait after this many failures (from 1): random, between half of its bound and the bound, so that those who failed together
 * spread and no retry comes at once. Every repetition waits by this rule, apart from webhooks, whose replicas must agree.
 */
export function backoffMs({ baseDelayMs, maxDelayMs }: Backoff, failures: number): number {
  const boundMs = Math.min(maxDelayMs, baseDelayMs * 2 ** Math.min(failures - 1, 30));
  return (boundMs * (1 + Math.random())) / 2;
}

/** The wait that the server requested, within the limits of the policy. Undefined if it is too long. */
function requestedMs(policy: RetryPolicy, asked: number): number | undefined {
  const longestMs = policy.maxRetryAfterMs ?? policy.maxDelayMs;
  if (asked > longestMs && policy.attempts !== undefined) return undefined;
  // A server that asks for no wait must not cause a tight loop.
  return Math.max(policy.baseDelayMs / 2, Math.min(asked, longestMs));
}

function isLast({ attempts = Infinity, leastAttempts = 1, limit }: RetryPolicy, attempt: number): boolean {
  return attempt >= attempts || (attempt >= leastAttempts && limit?.isOver === true);
}

/** Wait before the next attempt. Undefined if there is none. */
function nextDelayMs(policy: RetryPolicy, error: unknown, attempt: number): number | undefined {
  const isRetryable = policy.isRetryable ?? defaultIsRetryable;
  if (isLast(policy, attempt) || !isRetryable(error)) return undefined;
  const asked = error instanceof AppError ? error.retryAfterMs : undefined;
  return asked === undefined ? backoffMs(policy, attempt) : requestedMs(policy, asked);
}

/** Wait after a failed attempt, and the number that the attempt counts as. Undefined if there is no other. */
function afterFailure(
  policy: RetryPolicy,
  error: unknown,
  attempt: number,
): { readonly attempt: number; readonly delayMs: number } | undefined {
  const isFurther = policy.gotFurther?.(error) === true;
  if (isFurther) policy.limit?.restart();
  const counted = isFurther ? 1 : attempt;
  const delayMs = nextDelayMs(policy, error, counted);
  return delayMs === undefined ? undefined : { attempt: counted, delayMs };
}

async function attemptAll<T>(
  task: (attempt: number) => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await task(attempt);
    } catch (error) {
      signal?.throwIfAborted();
      const next = afterFailure(policy, error, attempt);
      if (!next) throw error;
      attempt = next.attempt;
      policy.onRetry?.(error, attempt, next.delayMs);
      await delay(next.delayMs, undefined, signal ? { signal } : {});
    }
  }
}

/**
 * Runs `task` until it succeeds, fails with an error that is not retryable, or has no attempts or time left; then throws the
 * last error. If the signal aborts, a wait ends immediately and throws the reason of the signal.
 */
export async function retry<T>(
  task: (attempt: number) => Promise<T>,
  policy: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  const { limit } = policy;
  limit?.begin();
  try {
    const result = await attemptAll(task, policy, signal);
    limit?.restart();
    return result;
  } finally {
    limit?.end();
  }
}

import { ApiError, ConnectionError, parseBody } from './errors.ts';
import type { components } from './schema.ts';
import { retryDelayMs, type Timing } from './timing.ts';

type Zip = components['schemas']['Zip'];

export interface Limits {
  readonly attempts: number;
  readonly attemptTimeoutMs: number;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request until it succeeds, fails for good, or reaches a limit. */
export function createSend(fetch: typeof globalThis.fetch, timing: Timing) {
  async function attempt(url: string, init: RequestInit, limits: Limits) {
    const remaining = Math.max(1, limits.deadlineMs - timing.nowMs());
    const timeout = AbortSignal.timeout(Math.ceil(Math.min(limits.attemptTimeoutMs, remaining)));
    const signal = limits.signal ? AbortSignal.any([limits.signal, timeout]) : timeout;
    try {
      const response = await fetch(url, { ...init, signal });
      const text = await response.text();
      const { data } = parseBody(text);
      if (response.ok && data?.uuid) return { zip: data as Zip, headers: response.headers };
      return { error: new ApiError(response, text), headers: response.headers };
    } catch (cause) {
      limits.signal?.throwIfAborted();
      const error = new ConnectionError(`No response from ${new URL(url).host}.`, { cause });
      return { error, headers: new Headers() };
    }
  }

  return async (url: string, init: RequestInit, limits: Limits): Promise<{ zip: Zip; headers: Headers }> => {
    limits.signal?.throwIfAborted();
    for (let failures = 1; ; failures += 1) {
      const outcome = await attempt(url, init, limits);
      if (outcome.zip) return outcome;
      const delay = retryDelayMs(failures, outcome.headers, timing.random());
      const isLast = failures >= limits.attempts || timing.nowMs() + delay >= limits.deadlineMs;
      if (isLast || !outcome.error.isRetriable) throw outcome.error;
      await timing.sleep(delay, limits.signal);
    }
  };
}

const FIRST_RETRY_MS = 500;

export interface Timing {
  readonly nowMs: () => number;
  readonly random: () => number;
  /** Rejects with the reason of the signal if it is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

export const systemTiming: Timing = {
  nowMs: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      function abort(): void {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, ms);
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    }),
};

/** Between half of a delay and all of it, so that clients that failed together do not return together. */
export function jittered(ms: number, random: number): number {
  return ms * (0.5 + random / 2);
}

/** Until a limit without remaining requests is reset: `RateLimit: "token";r=0;t=7, "project";r=12;t=60`. */
export function quotaDelayMs(headers: Headers): number {
  const spent = [...(headers.get('ratelimit') ?? '').matchAll(/;r=0;t=(\d+)/g)];
  return Math.max(0, ...spent.map(([, seconds]) => Number(seconds) * 1000));
}

/**
 * Before the next attempt of a request that failed `failures` times. `Retry-After` has seconds or a date. Without one in the
 * future, delays grow. Date.parse accepts nearly every text, such as `2, 2` for a date of 2001.
 */
export function retryDelayMs(failures: number, headers: Headers, random: number): number {
  const value = headers.get('retry-after') ?? '';
  const demanded = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  const backoff = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), 10_000);
  return demanded > 0 ? demanded + random * FIRST_RETRY_MS : jittered(backoff, random);
}

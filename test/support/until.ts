import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  readonly limitMs?: number;
  readonly intervalMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Calls `ask` until its result is neither undefined nor false, and returns it.
 * @throws Error that names the condition, with the last error of `ask`, after the limit (default 60 s).
 */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Exclude<T, undefined | false>> {
  const limitMs = options.limitMs ?? 60_000;
  const deadline = performance.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const response = await ask();
      if (response !== undefined && response !== false) return response as Exclude<T, undefined | false>;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline)
      throw new Error(`timed out after ${limitMs} ms waiting for ${what}`, { cause: last });
    await delay(options.intervalMs ?? 25, undefined, options.signal ? { signal: options.signal } : {});
  }
}

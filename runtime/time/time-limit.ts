import { toError } from '../errors.ts';

export interface RunLimit<E extends Error> {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  /** Created only at the limit, because the stack of an error costs more than everything else here. */
  readonly timeoutError: () => E;
  readonly onLimit?: ((error: E) => void) | undefined;
}

/**
 * Runs one call with a signal that aborts at the limit or with the caller's signal. Does not wait for a call that
 * ignores it. Removes its listeners, because a process-wide signal is used for thousands of calls.
 * @throws the timeout error at the limit; the reason of the caller's signal if that aborted
 */
export async function runWithin<T, E extends Error>(
  limit: RunLimit<E>,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  limit.signal?.throwIfAborted();
  const controller = new AbortController();
  // Rejects itself, because a request that waits for a connection ignores its signal.
  const ended = Promise.withResolvers<never>();
  function end(reason: unknown): void {
    controller.abort(reason);
    ended.reject(toError(reason));
  }
  function onAbort(): void {
    end(limit.signal?.reason);
  }
  limit.signal?.addEventListener('abort', onAbort);
  const timer = setTimeout(() => {
    const timeout = limit.timeoutError();
    end(timeout);
    limit.onLimit?.(timeout);
  }, limit.ms);
  try {
    return await Promise.race([task(controller.signal), ended.promise]);
  } catch (error) {
    limit.signal?.throwIfAborted();
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    limit.signal?.removeEventListener('abort', onAbort);
  }
}

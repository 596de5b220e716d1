import { toError } from '../errors.ts';
import { KubeError } from './kube-error.ts';

export interface TimeLimit {
  /** Name of the call, for the message. */
  readonly attempt: string;
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  readonly onLimit?: (error: KubeError) => void;
}

const timeoutOf = ({ attempt, ms }: TimeLimit): KubeError =>
  new KubeError(`${attempt}: no response from the API server within ${ms} ms`, { code: 'Timeout' });

/**
 * Runs one call with a signal that aborts at the limit or with the caller's signal. Does not wait for a call that
 * ignores it. Removes its listeners, because a process-wide signal is used for thousands of calls.
 * @throws KubeError with code Timeout at the limit; the reason of the caller's signal if that aborted
 */
export const withTimeLimit = async <T>(
  limit: TimeLimit,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  limit.signal?.throwIfAborted();
  const controller = new AbortController();
  // Rejects itself, because a request that waits for a connection ignores its signal.
  const ended = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    controller.abort(reason);
    ended.reject(toError(reason));
  };
  const onAbort = (): void => end(limit.signal?.reason);
  limit.signal?.addEventListener('abort', onAbort);
  const timer = setTimeout(() => {
    // Created only when needed, because the stack of an error costs more than everything else here.
    const timeout = timeoutOf(limit);
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
};

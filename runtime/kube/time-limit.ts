import { toError } from '../errors.ts';
import { KubeError } from './kube-error.ts';

export interface TimeLimit {
  /** What was attempted, for the message. */
  readonly attempt: string;
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  readonly onLimit?: (error: KubeError) => void;
}

/** Rejects when the signal aborts: a request that still waits for its connection does not listen to its signal. */
const rejectedBy = (signal: AbortSignal): Promise<never> => {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => {
    reject(toError(signal.reason));
  });
  return promise;
};

const timeoutOf = ({ attempt, ms }: TimeLimit): KubeError =>
  new KubeError(`${attempt}: no response from the API server within ${ms} ms`, { code: 'Timeout' });

/**
 * Runs one call with a signal that aborts at the limit or with the caller's; does not wait for a call that goes on all the
 * same. Listeners are taken off again: a process-wide
 * signal sees thousands of calls.
 * @throws KubeError with code Timeout at the limit; the reason of the caller's signal when that aborted.
 */
export const withTimeLimit = async <T>(
  limit: TimeLimit,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  limit.signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => {
    controller.abort(limit.signal?.reason);
  };
  limit.signal?.addEventListener('abort', onAbort);
  const timer = setTimeout(() => {
    // Not made before it is needed: an error with its stack costs more than all the rest here.
    const timeout = timeoutOf(limit);
    controller.abort(timeout);
    limit.onLimit?.(timeout);
  }, limit.ms);
  try {
    return await Promise.race([task(controller.signal), rejectedBy(controller.signal)]);
  } catch (error) {
    limit.signal?.throwIfAborted();
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    limit.signal?.removeEventListener('abort', onAbort);
  }
};

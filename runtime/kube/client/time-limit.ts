import { type RunLimit, runWithin } from '../../time/time-limit.ts';
import { KubeError } from './kube-error.ts';

export interface TimeLimit extends Omit<RunLimit<KubeError>, 'timeoutError'> {
  /** Name of the call, for the message. */
  readonly attempt: string;
}

function timeoutOf({ attempt, ms }: TimeLimit): KubeError {
  return new KubeError(`no response from the API server within ${ms} ms`, { attempt, code: 'Timeout' });
}

/**
 * `runWithin` for calls to the API server.
 * @throws KubeError with code Timeout at the limit; the reason of the caller's signal if that aborted
 */
export function withTimeLimit<T>(limit: TimeLimit, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return runWithin({ ...limit, timeoutError: () => timeoutOf(limit) }, task);
}

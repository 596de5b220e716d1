import { ApiError, ConnectionError, WaitTimeoutError } from './errors.ts';
import type { components } from './schema.ts';
import type { Limits } from './send.ts';
import { jittered, quotaDelayMs, type Timing } from './timing.ts';

type Zip = components['schemas']['Zip'];

interface Wait {
  readonly limitMs: number;
  readonly maxPollMs: number;
  readonly signal?: AbortSignal;
}

interface State {
  readonly zip?: Zip;
  readonly headers?: Headers;
  readonly error?: Error;
}

type Read = (uuid: string, call: Wait & Partial<Limits>) => Promise<State>;

/** Time limit of the request that is sent when the time of the wait is over. */
const LAST_READ_MS = 1_000;

/** @throws any error that a retry cannot solve */
function toRetriable(error: unknown): State {
  if ((error instanceof ApiError || error instanceof ConnectionError) && error.isRetriable) return { error };
  throw error;
}

/** Reads a job until it succeeds or fails. When the time is over, it reads once more. */
export function createWait(read: Read, timing: Timing) {
  /** Until the next request. After an error, no attempt was possible within the limit any more. */
  function delayOf({ headers }: State, pollMs: number): number {
    return headers ? Math.max(jittered(pollMs, timing.random()), quotaDelayMs(headers)) : Infinity;
  }

  return async (uuid: string, call: Wait): Promise<Zip> => {
    const end = timing.nowMs() + call.limitMs;
    let zip: Zip | undefined;
    let limits: Pick<Limits, 'attempts' | 'deadlineMs'> = { attempts: Infinity, deadlineMs: end };
    for (let pollMs = 1_000; ; pollMs *= 1.5) {
      const state = await read(uuid, { ...call, ...limits }).catch(toRetriable);
      zip = state.zip ?? zip;
      if (zip?.status === 'succeeded' || zip?.status === 'failed') return zip;
      if (limits.attempts === 1)
        throw new WaitTimeoutError({ uuid, zip, limitMs: call.limitMs, cause: state.error });
      // 0 if the request was cut off at the end.
      const nowMs = timing.nowMs();
      const remainingMs = Math.max(0, end - nowMs);
      const delayMs = Math.min(delayOf(state, Math.min(pollMs, call.maxPollMs)), remainingMs);
      if (delayMs === remainingMs) limits = { attempts: 1, deadlineMs: nowMs + delayMs + LAST_READ_MS };
      await timing.sleep(delayMs, call.signal);
    }
  };
}

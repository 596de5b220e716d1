import { setTimeout as delay } from 'node:timers/promises';

export interface Outcome {
  /** When the request was sent, in milliseconds of the monotonic clock. */
  readonly at: number;
  /** Status of the response, or the error if there was none. */
  readonly result: number | string;
}

export interface SteadyLoad extends AsyncDisposable {
  readonly outcomes: readonly Outcome[];
  /** Stops sending and waits for pending responses. */
  stop(): Promise<readonly Outcome[]>;
}

/**
 * Sends a request in every interval without waiting for earlier responses; the callback sends the n-th and
 * returns its status.
 */
export function startSteadyLoad(perSecond: number, request: (n: number) => Promise<number>): SteadyLoad {
  const ended = new AbortController();
  const outcomes: Outcome[] = [];
  const active: Promise<void>[] = [];
  async function send(n: number): Promise<void> {
    const at = performance.now();
    const result = await request(n).catch((error: unknown) => String(error));
    outcomes.push({ at, result });
  }
  const startedAt = performance.now();
  const sending = (async () => {
    for (let n = 0; !ended.signal.aborted; n += 1) {
      await delay(Math.max(0, startedAt + (n * 1000) / perSecond - performance.now()));
      active.push(send(n));
    }
  })();
  async function stop(): Promise<readonly Outcome[]> {
    ended.abort();
    await sending;
    await Promise.all(active);
    return outcomes;
  }
  return {
    outcomes,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}

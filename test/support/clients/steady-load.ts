import { setTimeout as delay } from 'node:timers/promises';

export interface Outcome {
  /** Monotonic, in milliseconds: when the request was sent. */
  readonly at: number;
  /** Status of the answer, or the error in place of one. */
  readonly result: number | string;
}

export interface SteadyLoad extends AsyncDisposable {
  readonly outcomes: readonly Outcome[];
  /** Sends no more, and waits for the answers in hand. */
  stop(): Promise<readonly Outcome[]>;
}

/** Sends a request in every interval, whether or not the last was answered; the n-th gives the status of its answer. */
export const startSteadyLoad = (perSecond: number, request: (n: number) => Promise<number>): SteadyLoad => {
  const ended = new AbortController();
  const outcomes: Outcome[] = [];
  const inHand: Promise<void>[] = [];
  const send = async (n: number): Promise<void> => {
    const at = performance.now();
    const result = await request(n).catch((error: unknown) => String(error));
    outcomes.push({ at, result });
  };
  const startedAt = performance.now();
  const sending = (async () => {
    for (let n = 0; !ended.signal.aborted; n += 1) {
      await delay(Math.max(0, startedAt + (n * 1000) / perSecond - performance.now()));
      inHand.push(send(n));
    }
  })();
  const stop = async (): Promise<readonly Outcome[]> => {
    ended.abort();
    await sending;
    await Promise.all(inHand);
    return outcomes;
  };
  return {
    outcomes,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
};

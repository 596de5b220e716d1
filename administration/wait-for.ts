import { type Clock, pause } from '#runtime/clock.ts';

export interface WaitOptions {
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

export type WaitForOptions = WaitOptions & { readonly clock: Clock };

/** The controller responds within one or two seconds; this interval does not burden the API server. */
const INTERVAL_MS = 300;

/** Polls until there is a result; undefined after the time limit. @throws the reason of the signal */
export const waitFor = async <T>(
  { clock, limitMs, signal = new AbortController().signal }: WaitForOptions,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> => {
  const end = clock.monotonicMs() + limitMs;
  for (;;) {
    signal.throwIfAborted();
    const response = await ask();
    if (response !== undefined || clock.monotonicMs() >= end) return response;
    await pause(clock, INTERVAL_MS, signal);
  }
};

import type { RetryLimit } from '#runtime/retry-limit.ts';
import type { Flow } from './http-get.ts';

/**
 * Counts no time in which the body is paused. Dispose of it when the body has ended, paused or not: the sink keeps it until the next
 * one starts.
 */
export const countedFlow = (flow: Flow, limit: Pick<RetryLimit, 'begin' | 'end'>): Flow & Disposable => {
  let isCounted = true;
  let hasEnded = false;
  const count = (isOn: boolean): void => {
    if (hasEnded || isOn === isCounted) return;
    isCounted = isOn;
    if (isOn) limit.begin();
    else limit.end();
  };
  return {
    pause: () => {
      count(false);
      flow.pause();
    },
    resume: () => {
      count(true);
      flow.resume();
    },
    [Symbol.dispose]: () => {
      count(true);
      hasEnded = true;
    },
  };
};

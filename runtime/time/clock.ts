/** Time as a dependency, so that tests of long waits do not wait. */
export interface Clock {
  /** Milliseconds of a monotonic clock: it never jumps and is only meaningful within this process. */
  monotonicMs(): number;
  /** Wall-clock time, for users and other processes. */
  date(): Date;
  /** Runs `task` once after the delay. Disposing the result before that cancels it. */
  after(delayMs: number, task: () => void): Disposable;
}

/** Node runs the task of a longer timer at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  date: () => new Date(),
  after: (delayMs, task) => {
    function start(leftMs: number): NodeJS.Timeout {
      return leftMs > LONGEST_TIMER_MS
        ? setTimeout(() => {
            timer = start(leftMs - LONGEST_TIMER_MS);
          }, LONGEST_TIMER_MS)
        : setTimeout(task, leftMs);
    }
    let timer = start(delayMs);
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer);
      },
    };
  },
};

/** Resolves to true after the delay, or to false as soon as the signal aborts. Never throws. */
export function pause(clock: Pick<Clock, 'after'>, delayMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    function end(passed: boolean): void {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
      resolve(passed);
    }
    function onAbort(): void {
      end(false);
    }
    const timer = clock.after(delayMs, () => end(true));
    signal.addEventListener('abort', onAbort);
  });
}

/** Time as a dependency: what waits for long takes a Clock, so that its tests do not wait. */
export interface Clock {
  /** Milliseconds of a monotonic clock: it never jumps and means nothing outside this process. */
  monotonicMs(): number;
  /** Wall-clock time, for what other processes and people read. */
  date(): Date;
  /** Runs `task` once after the delay; disposing of the result before that cancels it. */
  after(delayMs: number, task: () => void): Disposable;
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  date: () => new Date(),
  after: (delayMs, task) => {
    const timer = setTimeout(task, delayMs);
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer);
      },
    };
  },
};

/** Resolves true after the delay, or false as soon as the signal aborts; never throws. */
export const pause = (clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const end = (passed: boolean): void => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
      resolve(passed);
    };
    const onAbort = (): void => end(false);
    const timer = clock.after(delayMs, () => end(true));
    signal.addEventListener('abort', onAbort);
  });

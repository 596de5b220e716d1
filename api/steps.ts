import { createRoundRobin } from './round-robin.ts';

/** Work that pauses at each `yield`, so that a long request does not delay the others. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs the steps of a project's request to their end, interleaved with other work of the process. */
export type RunSteps = <T>(project: string, steps: Steps<T>) => Promise<T>;

/** How long one request may occupy the event loop before others run. */
const SLICE_MS = 2;

/** Lets one waiting request continue at a time, with all pending events handled in between. Projects are served round-robin. */
const createTurns = (): ((project: string) => Promise<void>) => {
  const waiting = createRoundRobin<() => void>();
  const runNext = (): void => {
    waiting.take()?.();
    if (!waiting.isEmpty()) setImmediate(runNext);
  };
  return (project) =>
    new Promise((resolve) => {
      if (waiting.isEmpty()) setImmediate(runNext);
      waiting.add(project, resolve);
    });
};

/** The first slice of a request runs at once, so that short requests do not wait for long ones. */
export const createRunSteps = (): RunSteps => {
  const turn = createTurns();
  return async (project, steps) => {
    let startedAt = performance.now();
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (performance.now() - startedAt < SLICE_MS) continue;
      await turn(project);
      startedAt = performance.now();
    }
  };
};

/** Runs tasks one after another. Projects are served round-robin. */
export type Enqueue = <T>(project: string, task: () => Promise<T>) => Promise<T>;

export const createQueue = (): Enqueue => {
  const waiting = createRoundRobin<() => void>();
  let isBusy = false;
  const start = (project: string): Promise<void> =>
    new Promise((resolve) => {
      if (isBusy) waiting.add(project, resolve);
      else resolve();
      isBusy = true;
    });
  const end = (): void => {
    const next = waiting.take();
    if (next === undefined) isBusy = false;
    else next();
  };
  return async (project, task) => {
    await start(project);
    try {
      return await task();
    } finally {
      end();
    }
  };
};

import { setImmediate as afterPendingEvents } from 'node:timers/promises';

/** Work that pauses at each `yield`, so that a long request does not delay the others. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** How long one request may occupy the event loop before others run. */
const SLICE_MS = 2;

/** Runs the steps to their end, interleaved with other work of the process. */
export const runSteps = async <T>(steps: Steps<T>): Promise<T> => {
  let startedAt = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - startedAt < SLICE_MS) continue;
    await afterPendingEvents();
    startedAt = performance.now();
  }
};

/** Runs tasks one after another, in the order of the calls. */
export const createQueue = (): (<T>(task: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
};

/** Work that pauses at each `yield`, so that a long request does not delay the others. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs the steps of a project's request to their end, interleaved with other work of the process. */
export type RunSteps = <T>(project: string, steps: Steps<T>) => Promise<T>;

/** How long one request may occupy the event loop before others run. */
const SLICE_MS = 2;

/** Lets one waiting request continue at a time, with all pending events handled in between. Projects take turns. */
const createTurns = (): ((project: string) => Promise<void>) => {
  /** Waiting requests by project, in the order of the turns. */
  const waiting = new Map<string, (() => void)[]>();
  const runNext = (): void => {
    for (const [project, requests] of waiting) {
      waiting.delete(project);
      requests.shift()?.();
      if (requests.length > 0) waiting.set(project, requests);
      break;
    }
    if (waiting.size > 0) setImmediate(runNext);
  };
  return (project) =>
    new Promise((resolve) => {
      if (waiting.size === 0) setImmediate(runNext);
      const requests = waiting.get(project) ?? [];
      requests.push(resolve);
      waiting.set(project, requests);
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

/** Runs tasks one after another, in the order of the calls. */
export const createQueue = (): (<T>(task: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
};

import { FairQueue } from '#runtime/fair/fair-queue.ts';

/** Work that pauses at each `yield`, so that a long request does not delay the others. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs the steps of a project's request to their end, interleaved with other work of the process. */
export type RunSteps = <T>(project: string, steps: Steps<T>) => Promise<T>;

/** How long one request may occupy the event loop before others run. */
const SLICE_MS = 2;

/** Lets one waiting request continue at a time, with all pending events handled in between. Projects are served round-robin. */
function createTurns(): (project: string) => Promise<void> {
  const waiting = new FairQueue<() => void>();
  function runNext(): void {
    waiting.shift()?.();
    if (!waiting.isEmpty) setImmediate(runNext);
  }
  return (project) =>
    new Promise((resolve) => {
      if (waiting.isEmpty) setImmediate(runNext);
      waiting.push(project, resolve);
    });
}

/** The first slice of a request runs at once, so that short requests do not wait for long ones. */
export function createRunSteps(): RunSteps {
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
}

import { createRoundRobin } from './round-robin.ts';

/** Work that pauses at each `yield`, so that a long request does not delay the others. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs the steps of a project's request to their end, interleaved with other work of the process. */
export type RunSteps = <T>(project: string, steps: Steps<T>) => Promise<T>;

/** How long one request may occupy the event loop before others run. */
const SLICE_MS = 2;

/** Lets one waiting request continue at a time, with all pending events handled in between. Projects are served round-robin. */
function createTurns(): (project: string) => Promise<void> {
  const waiting = createRoundRobin<() => void>();
  function runNext(): void {
    waiting.take()?.();
    if (!waiting.isEmpty()) setImmediate(runNext);
  }
  return (project) =>
    new Promise((resolve) => {
      if (waiting.isEmpty()) setImmediate(runNext);
      waiting.add(project, resolve);
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

/** Runs a task when there is a free place. */
export type Enqueue = <T>(project: string, task: () => Promise<T>) => Promise<T>;

/** One project can use one of this many places, because its calls delay those of others at the API server. */
const SHARE_OF_PROJECT = 4;

/** Runs at most `max` tasks at a time, and at most a quarter of them for one project. Projects are served round-robin. */
export function createQueue(max: number): Enqueue {
  const maxOfProject = Math.ceil(max / SHARE_OF_PROJECT);
  const waiting = createRoundRobin<() => void>();
  const runningOf = new Map<string, number>();
  let running = 0;

  function add(project: string, amount: 1 | -1): void {
    running += amount;
    const own = (runningOf.get(project) ?? 0) + amount;
    if (own === 0) runningOf.delete(project);
    else runningOf.set(project, own);
  }
  function isBelowPart(project: string): boolean {
    return (runningOf.get(project) ?? 0) < maxOfProject;
  }
  async function start(project: string): Promise<void> {
    if (running >= max || !isBelowPart(project))
      await new Promise<void>((resolve) => {
        waiting.add(project, () => {
          add(project, 1);
          resolve();
        });
      });
    else add(project, 1);
  }
  function end(project: string): void {
    add(project, -1);
    waiting.take(isBelowPart)?.();
  }

  return async (project, task) => {
    await start(project);
    try {
      return await task();
    } finally {
      end(project);
    }
  };
}

import type { Clock } from '#runtime/time/clock.ts';

/** Editors, formatters and `git switch` write several files, or one file several times, within this time. */
const QUIET_MS = 200;

export interface ChangeQueue extends AsyncDisposable {
  add(path: string): void;
}

/**
 * Collects changed paths and calls `apply` with them once no change has arrived for 200 ms. Calls never overlap: changes
 * during a call are applied by one further call. Disposing of the queue drops pending changes and waits for a running call.
 */
export function createChangeQueue(deps: {
  readonly clock: Pick<Clock, 'after'>;
  readonly apply: (paths: readonly string[]) => Promise<void>;
}): ChangeQueue {
  const changed = new Set<string>();
  let quiet: Disposable | undefined;
  let isQuiet = false;
  let running: Promise<void> | undefined;
  function next(): void {
    if (running !== undefined || !isQuiet || changed.size === 0) return;
    const paths = [...changed].toSorted();
    changed.clear();
    running = deps.apply(paths).finally(() => {
      running = undefined;
      next();
    });
  }
  return {
    add: (path) => {
      changed.add(path);
      quiet?.[Symbol.dispose]();
      isQuiet = false;
      quiet = deps.clock.after(QUIET_MS, () => {
        isQuiet = true;
        next();
      });
    },
    [Symbol.asyncDispose]: async () => {
      quiet?.[Symbol.dispose]();
      changed.clear();
      await running;
    },
  };
}

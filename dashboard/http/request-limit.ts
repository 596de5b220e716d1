/** The time limit of all calls to the API server for one page. */
export interface RequestLimit {
  readonly signal: AbortSignal;
  /** Runs a task whose time does not count, because it waits for something else. */
  readonly outside: <T>(task: () => Promise<T>) => Promise<T>;
}

export function createRequestLimit(ms: number): RequestLimit {
  const limit = new AbortController();
  let leftMs = ms;
  let startedMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let tasks = 0;
  function start(): void {
    startedMs = performance.now();
    timer = setTimeout(() => {
      limit.abort(new DOMException(`the time limit of ${ms} ms is over`, 'TimeoutError'));
    }, leftMs);
    timer.unref();
  }
  function stop(): void {
    clearTimeout(timer);
    leftMs = Math.max(0, leftMs - (performance.now() - startedMs));
  }
  start();
  return {
    signal: limit.signal,
    outside: async (task) => {
      tasks += 1;
      if (tasks === 1) stop();
      try {
        return await task();
      } finally {
        tasks -= 1;
        if (tasks === 0) start();
      }
    },
  };
}

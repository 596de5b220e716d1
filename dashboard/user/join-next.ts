/**
 * Runs at most one task of a key at a time. Calls that arrive meanwhile share the next run, so that each result was
 * requested after its call.
 */
export function createJoinNext<T>(): (key: string, task: () => Promise<T>) => Promise<T> {
  interface Runs {
    readonly current: Promise<T>;
    next?: Promise<T>;
  }
  const runs = new Map<string, Runs>();

  function start(key: string, task: () => Promise<T>): Promise<T> {
    const current = task();
    const entry: Runs = { current };
    runs.set(key, entry);
    function end(): void {
      if (entry.next === undefined) runs.delete(key);
    }
    current.then(end, end);
    return current;
  }

  return (key, task) => {
    const running = runs.get(key);
    if (running === undefined) return start(key, task);
    running.next ??= running.current.then(
      () => start(key, task),
      () => start(key, task),
    );
    return running.next;
  };
}

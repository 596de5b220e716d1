/** Waiting items. Projects are served round-robin; within a project, the oldest item is first. */
export interface RoundRobin<T> {
  readonly isEmpty: () => boolean;
  add(project: string, item: T): void;
  /** Removes the next item of a project that is allowed, by default of any. */
  take(isAllowed?: (project: string) => boolean): T | undefined;
}

export function createRoundRobin<T>(): RoundRobin<T> {
  /** By project, in the order of the turns. */
  const waiting = new Map<string, T[]>();
  return {
    isEmpty: () => waiting.size === 0,
    add: (project, item) => {
      const items = waiting.get(project);
      if (items) items.push(item);
      else waiting.set(project, [item]);
    },
    take: (isAllowed = () => true) => {
      for (const [project, items] of waiting) {
        if (!isAllowed(project)) continue;
        const item = items.shift();
        waiting.delete(project);
        if (items.length > 0) waiting.set(project, items);
        return item;
      }
      return undefined;
    },
  };
}

/** Waiting items. Projects are served round-robin; within a project, the oldest item is first. */
export interface RoundRobin<T> {
  readonly isEmpty: () => boolean;
  add(project: string, item: T): void;
  /** Removes the next item. */
  take(): T | undefined;
}

export const createRoundRobin = <T>(): RoundRobin<T> => {
  /** By project, in the order of the turns. */
  const waiting = new Map<string, T[]>();
  return {
    isEmpty: () => waiting.size === 0,
    add: (project, item) => {
      const items = waiting.get(project);
      if (items) items.push(item);
      else waiting.set(project, [item]);
    },
    take: () => {
      const [next] = waiting;
      if (next === undefined) return undefined;
      const [project, items] = next;
      const item = items.shift();
      waiting.delete(project);
      if (items.length > 0) waiting.set(project, items);
      return item;
    },
  };
};

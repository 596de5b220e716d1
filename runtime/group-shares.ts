/** One group can use one of this many workers, because its calls delay those of others at the API server. */
const SHARE = 2;

/** The running keys of each group. */
export interface GroupShares {
  /** Sets how many workers the groups share. */
  divide(workers: number): void;
  /** True while the group uses less than half of the workers. */
  readonly hasRoom: (group: string) => boolean;
  start(group: string): void;
  end(group: string): void;
}

export function createGroupShares(): GroupShares {
  const running = new Map<string, number>();
  let max = 0;
  function countOf(group: string): number {
    return running.get(group) ?? 0;
  }
  return {
    divide: (workers) => {
      max = Math.ceil(workers / SHARE);
    },
    hasRoom: (group) => countOf(group) < max,
    start: (group) => {
      running.set(group, countOf(group) + 1);
    },
    end: (group) => {
      if (countOf(group) <= 1) running.delete(group);
      else running.set(group, countOf(group) - 1);
    },
  };
}

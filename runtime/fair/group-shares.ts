/** The places that each group uses. */
export interface GroupShares {
  /** Sets how many places the groups share. */
  divide(places: number): void;
  /** How many places all groups use. */
  readonly used: number;
  /** True while the group uses less than its part of the places. */
  readonly hasRoom: (group: string) => boolean;
  start(group: string): void;
  end(group: string): void;
}

/**
 * A group, such as a project, may use at most one of `parts` equal parts of the places, rounded up, also while the rest is free: its
 * calls delay those of others at the API server. Where unused places harm nobody, fair-capacity.ts divides what is left instead.
 */
export function createGroupShares(parts: number): GroupShares {
  const running = new Map<string, number>();
  let used = 0;
  let max = 0;
  function countOf(group: string): number {
    return running.get(group) ?? 0;
  }
  return {
    divide: (places) => {
      max = Math.ceil(places / parts);
    },
    get used() {
      return used;
    },
    hasRoom: (group) => countOf(group) < max,
    start: (group) => {
      used += 1;
      running.set(group, countOf(group) + 1);
    },
    end: (group) => {
      used -= 1;
      if (countOf(group) <= 1) running.delete(group);
      else running.set(group, countOf(group) - 1);
    },
  };
}

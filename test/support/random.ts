/** A pseudorandom number generator with a seed (mulberry32). */
export interface Random {
  /** From 0, and below 1. */
  next(): number;
  /** An integer from `from` to `to`, both included. */
  int(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  function int(from: number, to: number): number {
    return from + Math.floor(next() * (to - from + 1));
  }
  return {
    next,
    int,
    pick: (list) => {
      const found = list[int(0, list.length - 1)];
      if (found === undefined) throw new Error('the list is empty');
      return found;
    },
  };
}

import { FairQueue } from './fair-queue.ts';

/** `change`: something changed or is due. `resync`: nothing is known to have changed. */
export type Lane = 'change' | 'resync';

/** Of this many keys in a row, one may be of the second lane, so that it never stops. */
const ONE_OF = 8;

/** Keys in two fair queues. Those of the first lane are taken first, with few exceptions. */
export interface Lanes {
  push(lane: Lane, group: string, key: string): void;
  /** Removes and returns the next key of a group that is allowed, by default of any. */
  shift(isAllowed?: (group: string) => boolean): string | undefined;
}

export const createLanes = (): Lanes => {
  const queues = { change: new FairQueue<string>(), resync: new FairQueue<string>() };
  let taken = 0;
  return {
    push: (lane, group, key) => queues[lane].push(group, key),
    shift: (isAllowed) => {
      const { change, resync } = queues;
      const [first, second] = taken === ONE_OF - 1 ? [resync, change] : [change, resync];
      const key = first.shift(isAllowed) ?? second.shift(isAllowed);
      if (key !== undefined) taken = (taken + 1) % ONE_OF;
      return key;
    },
  };
};

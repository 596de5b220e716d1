import { FairQueue } from '#runtime/fair/fair-queue.ts';

/** `end`: a caller waits for it. `change`: something changed or is due. `resync`: nothing is known to have changed. */
export type Lane = 'end' | 'change' | 'resync';

const ORDER: readonly Lane[] = ['end', 'change', 'resync'];

/** Of each eight keys in a row, the second and the last lane get at least one each, so that neither ever stops. */
const ONE_OF = 8;

/** True if keys of the lane are taken before those of the other. */
export function isBefore(lane: Lane, other: Lane): boolean {
  return ORDER.indexOf(lane) < ORDER.indexOf(other);
}

/** Keys in three fair queues. Those of an earlier lane are taken first, with few exceptions. */
export interface Lanes {
  push(lane: Lane, group: string, key: string): void;
  /** Removes and returns the next key of a group that is allowed, by default of any. */
  shift(isAllowed?: (group: string) => boolean): string | undefined;
}

export function createLanes(): Lanes {
  const queues = {
    end: new FairQueue<string>(),
    change: new FairQueue<string>(),
    resync: new FairQueue<string>(),
  };
  const orders: Readonly<Record<number, readonly Lane[]>> = {
    [ONE_OF / 2 - 1]: ['change', 'end', 'resync'],
    [ONE_OF - 1]: ['resync', 'end', 'change'],
  };
  let taken = 0;
  return {
    push: (lane, group, key) => queues[lane].push(group, key),
    shift: (isAllowed) => {
      for (const lane of orders[taken] ?? ORDER) {
        const key = queues[lane].shift(isAllowed);
        if (key === undefined) continue;
        taken = (taken + 1) % ONE_OF;
        return key;
      }
      return undefined;
    },
  };
}

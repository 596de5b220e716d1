import { FairQueue } from './fair-queue.ts';
import { createGroupShares } from './group-shares.ts';

/** Runs a task when there is a free place. */
export type Enqueue = <T>(group: string, task: () => Promise<T>) => Promise<T>;

/** A group may use at most a quarter of the places. */
const PARTS = 4;

/** Runs at most `max` tasks at a time, and at most a quarter of them for one group, such as a project. Groups are served round-robin. */
export function createTaskQueue(max: number): Enqueue {
  const waiting = new FairQueue<() => void>();
  const shares = createGroupShares(PARTS);
  shares.divide(max);

  async function start(group: string): Promise<void> {
    if (shares.used < max && shares.hasRoom(group)) shares.start(group);
    else
      await new Promise<void>((resolve) => {
        waiting.push(group, () => {
          shares.start(group);
          resolve();
        });
      });
  }
  function end(group: string): void {
    shares.end(group);
    waiting.shift(shares.hasRoom)?.();
  }

  return async (group, task) => {
    await start(group);
    try {
      return await task();
    } finally {
      end(group);
    }
  };
}

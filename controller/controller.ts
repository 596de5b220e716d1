import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '#runtime/clock.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import type { Lane } from './engine/lanes.ts';
import type { Reconcile } from './engine/reconcile.ts';
import type { WorkQueue } from './engine/work-queue.ts';

/** Reconciles the objects of one kind. */
export interface Controller {
  readonly queue: WorkQueue;
  readonly reconcile: Reconcile;
  readonly workers: number;
  /** A copy of the keys of all objects in the cache, which may change while they are added. */
  readonly keys: () => Iterable<ObjectKey>;
  /** Without those that only wait for a time. Default: all. */
  readonly changingKeys?: () => Iterable<ObjectKey>;
}

export interface ControllersOptions {
  readonly controllers: readonly Controller[];
  /** Resolves when every cache contains its first list. */
  readonly synced: (signal: AbortSignal) => Promise<unknown>;
  readonly fullReconcileMs: number;
  readonly clock: Clock;
}

/** Workers of the ZipProject controller and of the ZipBucket controller. */
export const SIDE_WORKERS = 2;

/** Keys that a new leader adds before it lets the process receive events. */
const SLICE_KEYS = 1_000;

/** Calls the task at this interval until the signal aborts. */
const every = (
  clock: Clock,
  delayMs: number,
  { task, signal }: { task: () => void; signal: AbortSignal },
): Disposable => {
  let timer: Disposable | undefined;
  const again = (): void => {
    timer = clock.after(delayMs, () => {
      if (signal.aborted) return;
      task();
      again();
    });
  };
  again();
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
};

/**
 * The work of the leader: reconciles every object at the start, every change, every object that is due, and at an interval all
 * objects that may change. The last only repairs what was missed, and waits behind everything else.
 */
export const createLead = ({
  controllers,
  synced,
  fullReconcileMs,
  clock,
}: ControllersOptions): ((signal: AbortSignal) => Promise<void>) => {
  const addChanging = (lane: Lane): void => {
    for (const { queue, keys, changingKeys = keys } of controllers)
      for (const key of changingKeys()) queue.add(key, lane);
  };
  const addWaiting = async (signal: AbortSignal): Promise<void> => {
    let added = 0;
    for (const { queue, keys } of controllers.filter(({ changingKeys }) => changingKeys))
      for (const key of keys()) {
        if (signal.aborted) return;
        queue.add(key, 'resync');
        added += 1;
        if (added % SLICE_KEYS === 0) await turn();
      }
  };
  return async (signal) => {
    await synced(signal);
    addChanging('change');
    using _fullReconcile = every(clock, fullReconcileMs, { task: () => addChanging('resync'), signal });
    await Promise.all([
      addWaiting(signal),
      ...controllers.map(({ queue, reconcile, workers }) => queue.run(reconcile, { workers, signal })),
    ]);
  };
};

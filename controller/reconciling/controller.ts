import { setImmediate as turn } from 'node:timers/promises';
import type { ObjectKey } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { Lane } from './lanes.ts';
import type { Reconcile } from './reconcile.ts';
import type { WorkQueue } from './work-queue.ts';

/** Reconciles the objects of one kind. */
export interface Controller {
  readonly queue: WorkQueue;
  readonly reconcile: Reconcile;
  readonly workers: number;
  /** A copy of the keys of all objects in the cache, which may change while they are added. */
  readonly keys: () => Iterable<ObjectKey>;
  /** Without those that only wait for a time. Default: all. */
  readonly changingKeys?: () => Iterable<ObjectKey>;
  /** Those of a full reconcile after the start. Default: `changingKeys`. */
  readonly fullReconcileKeys?: () => Iterable<ObjectKey>;
}

export interface ControllersOptions {
  readonly controllers: readonly Controller[];
  /** Resolves when every cache contains its first list. */
  readonly synced: (signal: AbortSignal) => Promise<unknown>;
  readonly fullReconcileMs: number;
  readonly clock: Clock;
  /** What else the leader does until the signal aborts. */
  readonly tasks?: readonly ((signal: AbortSignal) => Promise<void>)[];
}

/** Workers of the ZipProject controller and of the ZipBucket controller. */
export const SIDE_WORKERS = 2;

/** Keys that are added before the process may receive events. */
const SLICE_KEYS = 1_000;

/** Calls the task at this interval until the signal aborts. */
function every(
  clock: Clock,
  delayMs: number,
  { task, signal }: { task: () => void; signal: AbortSignal },
): Disposable {
  let timer: Disposable | undefined;
  function again(): void {
    timer = clock.after(delayMs, () => {
      if (signal.aborted) return;
      task();
      again();
    });
  }
  again();
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}

interface Added {
  readonly queue: Pick<WorkQueue, 'add'>;
  readonly key: ObjectKey;
  readonly lane: Lane;
}

/** Lets the process receive events after every slice. */
async function addAll(keys: Iterable<Added>, signal: AbortSignal): Promise<void> {
  let added = 0;
  for (const { queue, key, lane } of keys) {
    if (signal.aborted) return;
    queue.add(key, lane);
    added += 1;
    if (added % SLICE_KEYS === 0) await turn();
  }
}

/** What may change first, and then everything else. */
function* keysAtStart(controllers: readonly Controller[]): Iterable<Added> {
  for (const { queue, keys, changingKeys = keys } of controllers)
    for (const key of changingKeys()) yield { queue, key, lane: 'change' };
  for (const { queue, keys, changingKeys } of controllers)
    if (changingKeys) for (const key of keys()) yield { queue, key, lane: 'resync' };
}

function* keysOfFullReconcile(controllers: readonly Controller[]): Iterable<Added> {
  for (const { queue, keys, changingKeys = keys, fullReconcileKeys = changingKeys } of controllers)
    for (const key of fullReconcileKeys()) yield { queue, key, lane: 'resync' };
}

/**
 * The work of the leader: reconciles every object at the start, every change, every object that is due, and at an interval all
 * objects that may change. The last only repairs what was missed, and waits behind everything else.
 */
export function createLead({
  controllers,
  synced,
  fullReconcileMs,
  clock,
  tasks = [],
}: ControllersOptions): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    await synced(signal);
    function task(): void {
      void addAll(keysOfFullReconcile(controllers), signal);
    }
    using _fullReconcile = every(clock, fullReconcileMs, { task, signal });
    await Promise.all([
      addAll(keysAtStart(controllers), signal),
      ...tasks.map((work) => work(signal)),
      ...controllers.map(({ queue, reconcile, workers }) => queue.run(reconcile, { workers, signal })),
    ]);
  };
}

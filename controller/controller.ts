import type { Clock } from '#runtime/clock.ts';
import { type KubeObject, type ObjectKey, objectKey, type Reflector } from '#runtime/kube/types.ts';
import type { WorkQueue } from './engine/work-queue.ts';
import type { Watches } from './watches.ts';
import type { Reconcile } from './zip-job/reconcile.ts';

/** A controller of another kind than ZipJob. */
export interface SideController {
  readonly queue: WorkQueue;
  /** Returns the requeue delay in milliseconds, for when nothing changes. */
  readonly reconcile: (key: ObjectKey) => Promise<number | undefined>;
  /** Interval at which every object is reconciled. */
  readonly againAfterMs: number;
}

export interface ControllerOptions {
  readonly watches: Pick<Watches, 'caches' | 'synced'>;
  readonly zipJobs: { readonly queue: WorkQueue; readonly reconcile: Reconcile; readonly workers: number };
  readonly projects: SideController;
  readonly buckets: SideController;
  readonly fullReconcileMs: number;
  readonly clock: Clock;
}

/** Of each of the side controllers. */
export const SIDE_WORKERS = 2;

/** Calls the task every so often until the signal aborts. */
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

const runSide = <T extends KubeObject>(
  { queue, reconcile, againAfterMs }: SideController,
  cache: Reflector<T>,
  signal: AbortSignal,
): Promise<void> => {
  for (const object of cache.values()) queue.add(objectKey(object));
  const round = async (key: ObjectKey): Promise<void> => {
    const afterMs = await reconcile(key);
    queue.forget(key);
    if (cache.get(key)) queue.addAfter(key, Math.min(afterMs ?? againAfterMs, againAfterMs));
  };
  return queue.run(round, { workers: SIDE_WORKERS, signal });
};

/** The work of the leading replica: every ZipJob once at the beginning, then whatever changes, and all of them now and then. */
export const createLead = (options: ControllerOptions): ((signal: AbortSignal) => Promise<void>) => {
  const { watches, zipJobs, clock } = options;
  const addAll = (): void => {
    for (const zipJob of watches.caches.zipJobs.values()) zipJobs.queue.add(objectKey(zipJob));
  };
  return async (signal) => {
    await watches.synced(signal);
    addAll();
    using _fullReconcile = every(clock, options.fullReconcileMs, { task: addAll, signal });
    await Promise.all([
      zipJobs.queue.run(zipJobs.reconcile, { workers: zipJobs.workers, signal }),
      runSide(options.projects, watches.caches.projects, signal),
      runSide(options.buckets, watches.caches.buckets, signal),
    ]);
  };
};

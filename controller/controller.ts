import { isFinished } from '#crds/zip-job.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Reconcile } from './reconcile.ts';
import type { Slots } from './slots.ts';
import type { Watches } from './watches.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ControllerOptions {
  readonly watches: Pick<Watches, 'caches' | 'synced'>;
  readonly zipJobs: { readonly queue: WorkQueue; readonly reconcile: Reconcile; readonly workers: number };
  readonly projects: {
    readonly queue: WorkQueue;
    readonly reconcile: (key: string) => Promise<void>;
    /** What was set up in a project is looked after this often. */
    readonly againAfterMs: number;
  };
  readonly slots: Pick<Slots, 'hold'>;
  readonly fullPassMs: number;
  readonly clock: Clock;
}

export const PROJECT_WORKERS = 2;

const keyOf = ({ metadata }: { metadata: { namespace: string; name: string } }): string =>
  `${metadata.namespace}/${metadata.name}`;

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

/** The work of the leading replica: every ZipJob once at the beginning, then whatever changes, and all of them now and then. */
export const createLead = (options: ControllerOptions): ((signal: AbortSignal) => Promise<void>) => {
  const { watches, zipJobs, projects, slots, clock } = options;
  /** Also those whose Job was created by a leader that did not live to write so. */
  const holdSlots = (): void => {
    const { caches } = watches;
    for (const zipJob of caches.zipJobs.values())
      if (!isFinished(zipJob) && caches.jobs.get(keyOf(zipJob))) slots.hold(zipJob);
  };
  const addAll = (): void => {
    for (const zipJob of watches.caches.zipJobs.values()) zipJobs.queue.add(keyOf(zipJob));
  };
  const onProject = async (key: string): Promise<void> => {
    await projects.reconcile(key);
    projects.queue.forget(key);
    if (watches.caches.projects.get(key)) projects.queue.addAfter(key, projects.againAfterMs);
  };
  return async (signal) => {
    await watches.synced(signal);
    holdSlots();
    addAll();
    for (const project of watches.caches.projects.values()) projects.queue.add(keyOf(project));
    using _fullPass = every(clock, options.fullPassMs, { task: addAll, signal });
    await Promise.all([
      zipJobs.queue.run(zipJobs.reconcile, { workers: zipJobs.workers, signal }),
      projects.queue.run(onProject, { workers: PROJECT_WORKERS, signal }),
    ]);
  };
};

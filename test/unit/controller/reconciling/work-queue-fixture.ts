import {
  createWorkQueue,
  type WorkQueue,
  type WorkQueueOptions,
} from '#controller/reconciling/work-queue.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createManualClock, type ManualClock } from '#test/support/builders/manual-clock.ts';

interface Fixture {
  readonly queue: WorkQueue;
  readonly clock: ManualClock;
  /** Keys in the order in which they were taken. */
  readonly taken: string[];
  /** Finishes the oldest running reconcile of the key. */
  readonly finish: (key: string, error?: Error) => Promise<void>;
  readonly stop: () => void;
  readonly running: Promise<void>;
  readonly counted: string[];
}

/** A running queue whose reconciles the test ends. */
export function startQueue(options: Partial<WorkQueueOptions> & { readonly workers?: number } = {}): Fixture {
  const clock = createManualClock();
  const counted: string[] = [];
  const queue = createWorkQueue({
    log: createLogger('test', { level: 'silent' }),
    clock,
    baseDelayMs: 100,
    maxDelayMs: 1_000,
    drainTimeoutMs: 5_000,
    metrics: {
      depth: (keys) => counted.push(`depth ${keys}`),
      added: () => counted.push('added'),
      retried: () => counted.push('retried'),
      started: (seconds) => counted.push(`started ${seconds}`),
      finished: (seconds) => counted.push(`finished ${seconds}`),
    },
    ...options,
  });
  const taken: string[] = [];
  const work = new Map<string, PromiseWithResolvers<void>>();
  const abort = new AbortController();
  const running = queue.run(
    (key) => {
      taken.push(key);
      const end = Promise.withResolvers<void>();
      work.set(key, end);
      return end.promise;
    },
    { workers: options.workers ?? 2, signal: abort.signal },
  );
  return {
    queue,
    clock,
    taken,
    counted,
    running,
    finish: async (key, error) => {
      if (error) work.get(key)?.reject(error);
      else work.get(key)?.resolve();
      await clock.advance(0);
    },
    stop: () => abort.abort(),
  };
}

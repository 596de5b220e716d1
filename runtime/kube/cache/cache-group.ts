import type { Reflector } from '../types.ts';

/** The caches of a process, which start and end together. */
export interface CacheGroup extends AsyncDisposable {
  start(): void;
  /** Resolves when every cache has its initial list. */
  synced(signal: AbortSignal): Promise<void>;
  /** Names of the caches whose initial list is not loaded yet. */
  missing(): readonly string[];
}

type Cache = Pick<Reflector<never>, 'run' | 'synced' | 'hasSynced'>;

export function createCacheGroup<C extends Readonly<Record<string, Cache>>>(caches: C): C & CacheGroup {
  const all = Object.values(caches);
  const end = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  return {
    ...caches,
    start: () => {
      running = Promise.all(all.map((cache) => cache.run(end.signal)));
    },
    synced: async (signal) => {
      await Promise.all(all.map((cache) => cache.synced(signal)));
    },
    missing: () =>
      Object.entries(caches)
        .filter(([, cache]) => !cache.hasSynced)
        .map(([name]) => name),
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await running;
    },
  };
}

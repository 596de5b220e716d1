import { expect } from 'chai';
import { createCacheGroup } from '#runtime/kube/cache/cache-group.ts';

/** A cache that the test fills, and that runs until its signal aborts. */
function createCache() {
  const filled = Promise.withResolvers<void>();
  const cache = {
    hasSynced: false,
    ended: false,
    run: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          cache.ended = true;
          resolve();
        });
      }),
    synced: () => filled.promise,
    fill: () => {
      cache.hasSynced = true;
      filled.resolve();
    },
  };
  return cache;
}

describe('createCacheGroup', () => {
  it('is synced when every cache is, and names the missing ones', async () => {
    const [jobs, projects] = [createCache(), createCache()];
    const group = createCacheGroup({ jobs, projects });
    expect(group.missing()).to.deep.equal(['jobs', 'projects']);
    let isSynced = false;
    const synced = group.synced(new AbortController().signal).then(() => {
      isSynced = true;
    });
    jobs.fill();
    await jobs.synced();
    expect(group.missing()).to.deep.equal(['projects']);
    expect(isSynced).to.equal(false);
    projects.fill();
    await synced;
    expect(group.missing()).to.deep.equal([]);
  });

  it('ends every cache when it is disposed of', async () => {
    const [jobs, projects] = [createCache(), createCache()];
    const group = createCacheGroup({ jobs, projects });
    group.start();
    await group[Symbol.asyncDispose]();
    expect([jobs.ended, projects.ended]).to.deep.equal([true, true]);
  });
});

/** The store is away when an attempt is lost while it commits, for longer than one recovery Job tries. */
import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { until } from '#test/support/until.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

/** Each recovery pod gives up at once. */
const WITHOUT_RETRIES = { STORE_RETRY_LIMIT_MS: '0', STORE_RETRY_MAX_MS: '10' };

describe('a store that is away after the upload was completed', function () {
  this.timeout(300_000);
  let world: ZipperWorld;

  before(async () => {
    world = await startZipperWorld('store-outage');
  });
  after(() => world[Symbol.asyncDispose]());

  it('is asked by further recovery Jobs until it is back, and the job succeeds (F25)', async () => {
    const store = { isAway: false };
    function kill(path: string): void {
      store.isAway = true;
      const key = decodeURIComponent(path).split('/').at(-1) ?? '';
      const pod = world.cluster.node.pods().find(({ name }) => name.startsWith(`zip-${key.slice(0, 36)}`));
      world.cluster.node.kill(pod?.uid ?? '', 'SIGKILL');
    }
    function storeFault({ method, path }: ProxiedRequest): FaultAction | undefined {
      if (store.isAway) return { kind: 'refuse' };
      return method === 'POST' && /[?&]uploadId=/.test(path)
        ? { kind: 'kill', kill: () => kill(path) }
        : undefined;
    }
    const url = world.origin.url('/gen/1000/1');
    const uuid = await world.start([url], { spec: { maxAttempts: 1 }, env: WITHOUT_RETRIES, storeFault });
    const uids = new Set<string>();
    const path = `/apis/batch/v1/namespaces/store-outage/jobs/zip-${uuid}-recover-1`;
    await until(
      'a second recovery Job',
      async () => {
        const { metadata } = await world.cluster.read<Job>(path);
        return uids.add(metadata.uid ?? '').size > 1;
      },
      { limitMs: 120_000, intervalMs: 500 },
    );
    // A pod that took longer than the first wait is followed by the next one at once, which says nothing.
    await until(
      'the reason for the wait',
      async () => {
        const { status } = await world.project.zipJob(uuid);
        const { message = '' } = findCondition(status?.conditions, 'Recovered') ?? {};
        return /^attempt 1 waits for recovery, .*: StoreUnavailable: /.test(message);
      },
      { limitMs: 120_000, intervalMs: 500 },
    );
    store.isAway = false;
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
    expect(await world.project.bucket.exists(`${uuid}.zip`)).to.equal(true);
  });
});

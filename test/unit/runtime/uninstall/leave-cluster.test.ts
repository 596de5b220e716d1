import { expect } from 'chai';
import { FINALIZER } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { Lease, ServiceAccount } from '#runtime/kube/resources.ts';
import type { KubeObject } from '#runtime/kube/types.ts';
import { createLogger } from '#runtime/log/log.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { leaveCluster } from '#runtime/uninstall/leave-cluster.ts';
import { type AnyClient, releaseFinalizers } from '#runtime/uninstall/release-finalizers.ts';
import { takeOverLease } from '#runtime/uninstall/take-over-lease.ts';
import { createFakeObjects, type FakeObjects, unreachable } from '#test/support/builders/fake-objects.ts';
import { aZipBucket, aZipJob } from '#test/support/builders/objects.ts';

const log = createLogger('test', { level: 'silent' });

function never(): AbortSignal {
  return new AbortController().signal;
}

describe('leaveCluster', () => {
  function run(looks: readonly (number | Error)[], signal = never()) {
    const left = [...looks];
    let asked = 0;
    const done = leaveCluster({
      takeOver: () => Promise.resolve(true),
      release: () => {
        asked += 1;
        const next = left.shift() ?? 0;
        return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
      },
      quietMs: 1,
      clock: systemClock,
      log,
      signal,
    });
    return { done, asked: () => asked };
  }

  it('ends after two consecutive checks that found nothing', async () => {
    const { done, asked } = run([3, 0, 1, 0, 0]);
    expect([await done, asked()]).to.deep.equal([true, 5]);
  });

  it('retries after a failure', async () => {
    const { done, asked } = run([0, unreachable(), 0, 0]);
    expect([await done, asked()]).to.deep.equal([true, 4]);
  });

  it('gives up at the time limit', async () => {
    const { done } = run([], AbortSignal.abort());
    expect(await done).to.equal(false);
  });
});

/** Merges metadata patches like the API server. */
function patchable<T extends KubeObject>(objects: FakeObjects<T>): AnyClient {
  return {
    list: (...query) => objects.client.list(...query),
    mergePatch: async ({ namespace, name }, patch) => {
      const before = await objects.client.get(namespace, name);
      if (!before) throw new KubeError('gone', { code: 'NotFound' });
      const change = patch as { readonly metadata: Partial<T['metadata']> };
      return objects.put({ ...before, metadata: { ...before.metadata, ...change.metadata } });
    },
  };
}

describe('releaseFinalizers', () => {
  it('removes only our finalizer from every kind, and returns the count', async () => {
    const jobs = createFakeObjects<ZipJob>();
    const buckets = createFakeObjects<ZipBucket>();
    jobs.put(aZipJob({ metadata: { name: 'a', finalizers: ['other/one', FINALIZER] } }));
    jobs.put(aZipJob({ metadata: { name: 'b' } }));
    const bucket = aZipBucket();
    buckets.put({ ...bucket, metadata: { ...bucket.metadata, finalizers: [FINALIZER] } });
    const clients = [patchable(jobs), patchable(buckets)];
    expect(await releaseFinalizers(clients, never())).to.equal(2);
    expect(jobs.all().find(({ metadata }) => metadata.name === 'a')?.metadata.finalizers).to.deep.equal([
      'other/one',
    ]);
    expect(buckets.all()[0]?.metadata.finalizers).to.deep.equal([]);
    expect(await releaseFinalizers(clients, never())).to.equal(0);
  });

  it('skips objects that changed or were deleted meanwhile', async () => {
    const jobs = createFakeObjects<ZipJob>();
    jobs.put(aZipJob({ metadata: { finalizers: [FINALIZER] } }));
    for (const code of ['Conflict', 'NotFound'] as const) {
      const refusing: AnyClient = {
        ...patchable(jobs),
        mergePatch: () => Promise.reject(new KubeError('no', { code })),
      };
      expect(await releaseFinalizers([refusing], never())).to.equal(1);
    }
  });
});

describe('takeOverLease', () => {
  function setUp(conflicts = 0) {
    const leases = createFakeObjects<Lease>();
    let left = conflicts;
    function replace(lease: Lease): Promise<Lease> {
      left -= 1;
      if (left >= 0) return Promise.reject(new KubeError('changed', { code: 'Conflict' }));
      return Promise.resolve(leases.put(lease));
    }
    const accounts = createFakeObjects<ServiceAccount>();
    function takeOver() {
      return takeOverLease(
        {
          serviceAccounts: accounts.client,
          serviceAccountName: 'controllers',
          leases: { ...leases.client, replace },
          namespace: 'n',
          name: 'l',
          identity: 'me',
          clock: systemClock,
        },
        never(),
      );
    }
    return { leases, accounts, takeOver };
  }

  it('takes over the lease from the leader and keeps its other fields', async () => {
    const { leases, takeOver } = setUp();
    leases.put({
      metadata: { namespace: 'n', name: 'l', annotations: { a: 'b' } },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 15, leaseTransitions: 3 },
    });
    expect(await takeOver()).to.equal(true);
    const [lease] = leases.all();
    expect(lease?.metadata.annotations).to.deep.equal({ a: 'b' });
    expect(lease?.spec).to.include({ holderIdentity: 'me', leaseDurationSeconds: 60, leaseTransitions: 3 });
  });

  it('makes the service account of the controllers own the lease, so that the next release does not wait', async () => {
    const { leases, accounts, takeOver } = setUp();
    leases.put({ metadata: { namespace: 'n', name: 'l' }, spec: { holderIdentity: 'other' } });
    accounts.put({ metadata: { namespace: 'n', name: 'controllers', uid: 'uid-account' } });
    expect(await takeOver()).to.equal(true);
    expect(leases.all()[0]?.metadata.ownerReferences).to.deep.equal([
      { apiVersion: 'v1', kind: 'ServiceAccount', name: 'controllers', uid: 'uid-account' },
    ]);
  });

  it('retries after a conflict with the leader', async () => {
    const { leases, takeOver } = setUp(3);
    leases.put({ metadata: { namespace: 'n', name: 'l' }, spec: { holderIdentity: 'other' } });
    expect(await takeOver()).to.equal(true);
    expect(leases.all()[0]?.spec).to.include({ holderIdentity: 'me' });
  });

  it('returns false if there is no lease', async () => {
    expect(await setUp().takeOver()).to.equal(false);
  });
});

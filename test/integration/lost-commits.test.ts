/** The pod of a job is killed after it recorded `committing`, and its Complete never reaches the store. */
import { expect } from 'chai';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

function isComplete({ method, path }: Pick<ProxiedRequest, 'method' | 'path'>): boolean {
  return method === 'POST' && path.includes('uploadId=');
}

describe('a job whose pod is lost between the record of its parts and its Complete', function () {
  this.timeout(240_000);
  let world: ZipperWorld;
  before(async () => {
    world = await startZipperWorld('lost-commits');
  });
  after(() => world[Symbol.asyncDispose]());

  /** The first Complete of a job kills its pod. The others reach the store, but for the first ones that recovery sends. */
  function killer(lost = 0) {
    const completes: string[] = [];
    function storeFault(request: ProxiedRequest): FaultAction | undefined {
      if (!isComplete(request)) return undefined;
      const key = decodeURIComponent(request.path).split('?')[0]?.split('/').at(-1) ?? '';
      const isFirst = completes.length === 0;
      const pod = world.cluster.node
        .pods()
        .find(
          ({ name }) => name.startsWith(`zip-${key.slice(0, 36)}`) && name.includes('-recover-') !== isFirst,
        );
      completes.push(pod?.name ?? '');
      if (completes.length > 1 + lost) return undefined;
      world.cluster.node.kill(pod?.uid ?? '', 'SIGKILL');
      return { kind: 'refuse' };
    }
    return { completes, storeFault };
  }

  function downloadsOf(path: string): number {
    return world.origin.requests.filter((request) => request.path.startsWith(path)).length;
  }

  for (const onConflict of ['replace', 'fail'] as const)
    it(`has its archive after the recovery of its only attempt, without another download, with onConflict ${onConflict} (F25) (H8)`, async () => {
      const { completes, storeFault } = killer();
      const path = `/gen/12000000/${onConflict.length}`;
      const uuid = await world.start([world.origin.url(path)], {
        spec: { maxAttempts: 1, onConflict },
        storeFault,
      });
      const { status } = await world.untilEnd(uuid);
      expect(status, JSON.stringify(status)).to.include({
        phase: 'Succeeded',
        reason: 'VerifiedInStore',
        attemptsTotal: 1,
      });
      expect(status?.attempts?.[0]).to.include({ exitCode: 137 });
      expect(status?.result?.bytes).to.be.greaterThan(12_000_000);
      expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status?.result?.bytes);
      expect(downloadsOf(path)).to.equal(1);
      expect(completes.length).to.equal(2);
      await world.untilNoOpenUploads();
    });

  it('has its archive although the first recovery pod is killed too (F25) (F47)', async () => {
    const { completes, storeFault } = killer(1);
    const uuid = await world.start([world.origin.url('/gen/12000000/9')], {
      spec: { maxAttempts: 1 },
      storeFault,
    });
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
    expect(status?.attempts?.[0]).to.have.property('completeSentAt');
    expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status?.result?.bytes);
    expect(completes.length).to.equal(3);
    expect(downloadsOf('/gen/12000000/9')).to.equal(1);
    await world.untilNoOpenUploads();
  });
});

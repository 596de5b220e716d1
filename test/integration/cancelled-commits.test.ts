/** A job that is cancelled while its archive is being published. */
import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

function isComplete({ method, path }: Pick<ProxiedRequest, 'method' | 'path'>): boolean {
  return method === 'POST' && path.includes('uploadId=');
}

describe('a job that is cancelled while it commits', function () {
  this.timeout(240_000);
  let world: ZipperWorld;
  before(async () => {
    world = await startZipperWorld('cancelled-commits');
  });
  after(() => world[Symbol.asyncDispose]());

  function cancel(uuid: string): Promise<string> {
    return world.kubectl('patch', 'zipjob', `zip-${uuid}`, '--type=merge', '-p', '{"spec":{"cancel":true}}');
  }
  function untilCommitting(uuid: string): Promise<unknown> {
    return until('the job to commit', async () => {
      const { status } = await world.project.zipJob(uuid);
      return status?.upload?.state === 'committing';
    });
  }

  it('leaves no archive when the Complete reaches the store after the abort (H4) (F32)', async () => {
    const cancelled = Promise.withResolvers<void>();
    const completes: (number | undefined)[] = [];
    const uuid = await world.start([world.origin.url('/gen/100000/1')], {
      storeFault: (request) => (isComplete(request) ? { kind: 'hold', until: cancelled.promise } : undefined),
      onStore: ({ request, status }) => void (isComplete(request) && completes.push(status)),
    });
    await untilCommitting(uuid);
    await cancel(uuid);
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Cancelled', reason: 'Cancelled' });
    cancelled.resolve();
    await until('the late Complete to reach the store', () => completes.length > 0);
    expect(completes[0]).to.be.within(400, 499);
    expect(await world.project.bucket.exists(`${uuid}.zip`)).to.equal(false);
    await world.untilNoOpenUploads();
  });

  it('succeeds when the store completed the upload before the abort (H4) (F32)', async () => {
    const killed = Promise.withResolvers<void>();
    const uuid = await world.start([world.origin.url('/gen/100000/2')], {
      storeFault: (request): FaultAction | undefined => {
        if (!isComplete(request)) return undefined;
        function kill(): void {
          for (const pod of world.cluster.node.pods())
            if (pod.name.includes(uuid)) world.cluster.node.kill(pod.uid, 'SIGKILL');
          killed.resolve();
        }
        return { kind: 'kill', kill };
      },
    });
    await killed.promise;
    await cancel(uuid);
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
    expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status?.result?.bytes);
    await world.untilNoOpenUploads();
  });
});

/** A store that does not abort uploads: the job ends as it would have ended, and the failure is counted. */
import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

function isAbort({ method, path }: ProxiedRequest): boolean {
  return method === 'DELETE' && path.includes('uploadId=');
}

function isComplete({ method, path }: ProxiedRequest): boolean {
  return method === 'POST' && path.includes('uploadId=');
}

function refusal(status: number, code: string): FaultAction {
  return {
    kind: 'response',
    status,
    body: `<Error><Code>${code}</Code><Message>from the fault proxy</Message></Error>`,
  };
}

function failuresIn({ attempts = [] }: ZipJobStatus): number {
  return attempts.reduce((sum, { abortFailures = 0 }) => sum + abortFailures, 0);
}

describe('a store that refuses to abort an upload', function () {
  this.timeout(240_000);
  let world: ZipperWorld;
  before(async () => {
    world = await startZipperWorld('refused-aborts');
  });
  after(() => world[Symbol.asyncDispose]());

  async function cancel(uuid: string): Promise<void> {
    await world.untilUploading(uuid);
    await world.kubectl('patch', 'zipjob', `zip-${uuid}`, '--type=merge', '-p', '{"spec":{"cancel":true}}');
  }
  function kill(uuid: string): void {
    for (const pod of world.cluster.node.pods())
      if (pod.name.includes(uuid)) world.cluster.node.kill(pod.uid, 'SIGKILL');
  }

  for (const [code, fault] of [
    ['AccessDenied', refusal(403, 'AccessDenied')],
    ['MethodNotAllowed', refusal(405, 'MethodNotAllowed')],
  ] as const)
    describe(`with ${code}`, () => {
      function storeFault(request: ProxiedRequest) {
        return isAbort(request) ? fault : undefined;
      }
      let [failed, cancelled, published] = ['', '', ''];

      // All at once, because most of the time is waiting.
      before(async () => {
        const { origin } = world;
        cancelled = await world.start([world.hold().url], { storeFault });
        failed = await world.start([origin.url('/gen/6000000/1'), origin.url('/status/404')], { storeFault });
        published = await world.start([origin.url('/gen/100000/3')], {
          storeFault: (request) =>
            isComplete(request) ? { kind: 'kill', kill: () => kill(published) } : storeFault(request),
        });
        await cancel(cancelled);
      });

      it('does not change a failed job (U11) (F32)', async () => {
        const { status = {} } = await world.untilEnd(failed);
        expect(status, JSON.stringify(status)).to.include({ phase: 'Failed', reason: 'SourceNotFound' });
        expect(failuresIn(status), JSON.stringify(status.attempts)).to.be.greaterThan(0);
        expect(await world.project.bucket.exists(`${failed}.zip`)).to.equal(false);
      });

      it('does not change a cancelled job (U11) (F32)', async () => {
        const { status = {} } = await world.untilEnd(cancelled);
        expect(status, JSON.stringify(status)).to.include({ phase: 'Cancelled', reason: 'Cancelled' });
        expect(failuresIn(status), JSON.stringify(status.attempts)).to.be.greaterThan(0);
        expect(await world.project.bucket.exists(`${cancelled}.zip`)).to.equal(false);
      });

      it('does not hide a published archive (U11) (F32)', async () => {
        const { status = {} } = await world.untilEnd(published);
        expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
        expect(await world.project.bucket.size(`${published}.zip`)).to.equal(status.result?.bytes);
      });
    });
});

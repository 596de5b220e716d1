/** A store that does not abort uploads: the job ends as it would have ended, and the failure is counted. */
import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

const isAbort = ({ method, path }: ProxiedRequest): boolean =>
  method === 'DELETE' && path.includes('uploadId=');
const isComplete = ({ method, path }: ProxiedRequest): boolean =>
  method === 'POST' && path.includes('uploadId=');

const refusal = (status: number, code: string): FaultAction => ({
  kind: 'response',
  status,
  body: `<Error><Code>${code}</Code><Message>from the fault proxy</Message></Error>`,
});

const failuresIn = ({ attempts = [] }: ZipJobStatus): number =>
  attempts.reduce((sum, { abortFailures = 0 }) => sum + abortFailures, 0);

describe('a store that refuses to abort an upload', function () {
  this.timeout(240_000);
  let world: ZipperWorld;
  before(async () => {
    world = await startZipperWorld('refused-aborts');
  });
  after(() => world[Symbol.asyncDispose]());

  const cancel = (uuid: string): Promise<string> =>
    world.kubectl('patch', 'zipjob', `zip-${uuid}`, '--type=merge', '-p', '{"spec":{"cancel":true}}');

  for (const [code, fault] of [
    ['AccessDenied', refusal(403, 'AccessDenied')],
    ['MethodNotAllowed', refusal(405, 'MethodNotAllowed')],
  ] as const) {
    const storeFault = (request: ProxiedRequest) => (isAbort(request) ? fault : undefined);

    it(`with ${code} does not change a failed job (U11) (F32)`, async () => {
      const urls = [world.origin.url('/gen/6000000/1'), world.origin.url('/status/404')];
      const uuid = await world.start(urls, { storeFault });
      const { status = {} } = await world.untilEnd(uuid);
      expect(status, JSON.stringify(status)).to.include({ phase: 'Failed', reason: 'SourceNotFound' });
      expect(failuresIn(status), JSON.stringify(status.attempts)).to.be.greaterThan(0);
      expect(await world.project.bucket.exists(`${uuid}.zip`)).to.equal(false);
    });

    it(`with ${code} does not change a cancelled job (U11) (F32)`, async () => {
      const uuid = await world.start([world.hold().url], { storeFault });
      await world.untilUploading(uuid);
      await cancel(uuid);
      const { status = {} } = await world.untilEnd(uuid);
      expect(status, JSON.stringify(status)).to.include({ phase: 'Cancelled', reason: 'Cancelled' });
      expect(failuresIn(status), JSON.stringify(status.attempts)).to.be.greaterThan(0);
      expect(await world.project.bucket.exists(`${uuid}.zip`)).to.equal(false);
    });

    it(`with ${code} does not hide a published archive (U11) (F32)`, async () => {
      const kill = (): void => {
        for (const pod of world.cluster.node.pods())
          if (pod.name.includes(uuid)) world.cluster.node.kill(pod.uid, 'SIGKILL');
      };
      const uuid = await world.start([world.origin.url('/gen/100000/3')], {
        storeFault: (request) => (isComplete(request) ? { kind: 'kill', kill } : storeFault(request)),
      });
      const { status = {} } = await world.untilEnd(uuid);
      expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
      expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status.result?.bytes);
    });
  }
});

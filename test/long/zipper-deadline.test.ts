/** A job reaches its deadline while its pod does not end. The shortest deadline is sixty seconds. */
import { expect } from 'chai';
import { askApi } from '#test/support/clients/api-client.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';

describe('a zipper that does not end at the deadline', function () {
  this.timeout(240_000);
  let world: ZipperWorld;
  let baseUrl: string;
  before(async () => {
    world = await startZipperWorld('zipper-deadline');
    baseUrl = await (await sharedInstallation()).apiUrl();
    await untilTokenKnown(baseUrl, world.project.token);
  });
  after(() => world[Symbol.asyncDispose]());

  it('delays no webhook, and leaves nothing behind (F17) (K3)', async () => {
    const held = world.hold();
    const uuid = await world.start([held.url], { spec: { activeDeadlineSeconds: 60 } });
    const podUid = await world.untilUploading(uuid);
    const isRunning = (): boolean =>
      world.cluster.node.pods().some(({ uid, containers }) => uid === podUid && containers.length > 0);
    // A stopped process does not handle SIGTERM, so the pod remains until its grace period is over.
    expect(world.cluster.node.kill(podUid, 'SIGSTOP')).to.equal(true);
    const ask = async (): Promise<boolean> => {
      const response = await askApi(baseUrl, { path: `/v1/zips/${uuid}`, token: world.project.token });
      return response.body.data?.status === 'failed';
    };
    await until('the webhook of the failed job', ask, { limitMs: 120_000, intervalMs: 200 });
    expect(isRunning()).to.equal(true);
    const { status } = await world.project.zipJob(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Failed', reason: 'DeadlineExceeded' });
    world.cluster.node.kill(podUid, 'SIGKILL');
    await world.untilNoOpenUploads();
    expect(await world.project.bucket.exists(`${uuid}.zip`)).to.equal(false);
    held.release();
  });
});

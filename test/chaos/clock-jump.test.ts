/** The clock of only one process jumps while jobs run. The clocks of zipper and node: long/zipper-environment.test.ts. */
import { expect } from 'chai';
import { postJob } from '#test/support/clients/api-client.ts';
import { startClusterTime } from '#test/support/processes/cluster-time.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { verifyDelivery } from '#test/support/servers/webhook-receiver.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';

const HOUR_MS = 3_600_000;

describe('a clock jump of one process', function () {
  this.timeout(180_000);
  let flow: Flow;

  before(async () => {
    flow = await startFlow('clock-jump');
  });
  after(() => flow[Symbol.asyncDispose]());

  async function post(key: string): Promise<string> {
    const { project, origin } = flow;
    // The pods of the API restart with their clock.
    const apiUrl = await (await sharedInstallation()).apiUrl();
    return postJob(apiUrl, project.token, {
      bucket_name: project.bucketName,
      key,
      urls: [{ url: origin.url('/drip/10000/200/150000/1'), filename: 'a' }],
    });
  }
  async function untilUploaded(uuid: string): Promise<void> {
    const { project, receiver } = flow;
    const ended = await project.untilPhase(uuid, ['Succeeded', 'Failed']);
    expect(ended.status?.reason, ended.status?.message).to.equal('Uploaded');
    expect(ended.status?.attemptsTotal).to.equal(1);
    const delivery = await receiver.next(({ body }) => body.includes(uuid));
    // The library refuses timestamps that are off by more than five minutes.
    verifyDelivery(delivery, project.webhookSecret);
  }

  for (const jumping of ['controller', 'api'] as const)
    for (const jumpMs of [HOUR_MS, -HOUR_MS])
      it(`of the ${jumping} by ${jumpMs / HOUR_MS} h lets a running and a new job succeed, with webhook timestamps near the real time (F18) (F32)`, async () => {
        const { cluster, project } = flow;
        await using time = await startClusterTime(cluster, [jumping]);
        const running = await post(`${jumping}-${jumpMs}.zip`);
        await project.untilPhase(running, ['Starting', 'Running']);
        for (const { name } of cluster.node.pods().filter(({ namespace }) => namespace === RELEASE_NAMESPACE))
          await time.jump(name, jumpMs);
        const later = await post(`${jumping}-${jumpMs}-later.zip`);
        for (const uuid of [running, later]) await untilUploaded(uuid);
      });
});

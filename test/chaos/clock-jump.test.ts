/** Only the clock of the controller jumps while jobs run. */
import { expect } from 'chai';
import { postJob } from '#test/support/clients/api-client.ts';
import { startClusterTime } from '#test/support/processes/cluster-time.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { verifyDelivery } from '#test/support/servers/webhook-receiver.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const HOUR_MS = 3_600_000;

describe('a clock jump of the controller', function () {
  this.timeout(180_000);
  let flow: Flow;

  before(async () => {
    flow = await startFlow('clock-jump');
  });
  after(() => flow[Symbol.asyncDispose]());

  for (const jumpMs of [HOUR_MS, -HOUR_MS])
    it(`by ${jumpMs / HOUR_MS} h lets a running job succeed, with a webhook timestamp near the real time (F18)`, async () => {
      const { cluster, project, origin, receiver } = flow;
      await using time = await startClusterTime(cluster);
      const uuid = await postJob(flow.baseUrl, project.token, {
        bucket_name: project.bucketName,
        key: `jump-${jumpMs}.zip`,
        urls: [{ url: origin.url('/drip/10000/200/150000/1'), filename: 'a' }],
      });
      await project.untilPhase(uuid, ['Starting', 'Running']);
      for (const { name } of cluster.node.pods().filter((pod) => pod.namespace === RELEASE_NAMESPACE))
        await time.jump(name, jumpMs);
      const ended = await project.untilPhase(uuid, ['Succeeded', 'Failed']);
      expect(ended.status?.reason, ended.status?.message).to.equal('Uploaded');
      expect(ended.status?.attemptsTotal).to.equal(1);
      const delivery = await receiver.next(({ body }) => body.includes(uuid));
      // The library refuses timestamps that are off by more than five minutes.
      verifyDelivery(delivery, project.webhookSecret);
    });
});

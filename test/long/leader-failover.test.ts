/** Two controllers run; the leader is killed while twenty jobs run. */

import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { adminApi, leadingPod } from '#test/support/processes/controller-pods.ts';
import type { WebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const JOBS = 20;

describe('a leader failover', function () {
  this.timeout(480_000);
  let flow: Flow;
  let cluster: Cluster;
  let receiver: WebhookReceiver;

  before(async () => {
    flow = await startFlow('failover');
    ({ cluster, receiver } = flow);
  });
  after(() => flow[Symbol.asyncDispose]());

  const jobs = async (): Promise<readonly ZipJob[]> => {
    const text = await flow.kubectl('get', 'zipjobs', '-o', 'json');
    return (JSON.parse(text) as { items: ZipJob[] }).items;
  };

  it('finishes every job with one Job and one webhook ID (H5, H6, H7)', async () => {
    const held = flow.hold();
    const uuids = await Promise.all(
      Array.from({ length: JOBS }, () => flow.post([{ url: held.url, filename: 'a' }])),
    );
    await until('a job to run', async () => (await jobs()).some((job) => job.status?.phase === 'Running'), {
      limitMs: 120_000,
    });
    await using api = await adminApi(cluster);
    const { uid } = await leadingPod(cluster, api);
    cluster.node.kill(uid, 'SIGKILL');
    held.release();
    await until(
      'every job to succeed',
      async () => (await jobs()).every((job) => job.status?.phase === 'Succeeded'),
      {
        limitMs: 240_000,
        intervalMs: 500,
      },
    );
    expect((await leadingPod(cluster, api)).uid).to.be.a('string');

    const made = await flow.kubectl('get', 'jobs', '-o', 'name');
    expect(made.trim().split('\n').toSorted()).to.deep.equal(
      uuids.map((uuid) => `job.batch/zip-${uuid}`).toSorted(),
    );
    await until(
      'every webhook to be delivered',
      async () => (await jobs()).every((job) => job.status?.webhook?.state === 'Delivered'),
      { limitMs: 120_000 },
    );
    for (const uuid of uuids) {
      const ids = new Set(
        receiver.deliveries.filter((one) => one.body.includes(uuid)).map((one) => one.headers['webhook-id']),
      );
      expect([...ids], uuid).to.have.lengthOf(1);
    }
    const attempts = (await jobs()).map((job) => job.status?.attemptsTotal);
    expect(attempts).to.deep.equal(uuids.map(() => 1));
  });
});

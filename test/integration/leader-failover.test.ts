/** Two controllers run; the one that leads is killed in the middle of twenty jobs. */

import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Cluster } from '../cluster/cluster-types.ts';
import { adminApi, leadingPod } from '../support/controller-pods.ts';
import type { FileOrigin } from '../support/file-origin.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { until } from '../support/until.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

const JOBS = 20;

describe('when the leading controller is killed', function () {
  this.timeout(240_000);
  let flow: Flow;
  let cluster: Cluster;
  let origin: FileOrigin;
  let receiver: WebhookReceiver;

  before(async () => {
    flow = await startFlow('failover');
    ({ cluster, origin, receiver } = flow);
  });
  after(() => flow[Symbol.asyncDispose]());

  const jobs = async (): Promise<readonly ZipJob[]> => {
    const text = await flow.kubectl('get', 'zipjobs', '-o', 'json');
    return (JSON.parse(text) as { items: ZipJob[] }).items;
  };

  it('every job ends, each with one Job and one delivered webhook id (H5, H6, H7)', async () => {
    const uuids = await Promise.all(
      Array.from({ length: JOBS }, () =>
        flow.post([{ url: origin.url('/drip/10000/200/100000/1'), filename: 'a' }]),
      ),
    );
    await until('a job to run', async () => (await jobs()).some((job) => job.status?.phase === 'Running'), {
      limitMs: 60_000,
    });
    await using api = await adminApi(cluster);
    const { uid } = await leadingPod(cluster, api);
    cluster.node.kill(uid, 'SIGKILL');
    await until(
      'every job to succeed',
      async () => (await jobs()).every((job) => job.status?.phase === 'Succeeded'),
      {
        limitMs: 150_000,
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
      { limitMs: 60_000 },
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

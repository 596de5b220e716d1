/** An endpoint that refuses webhooks, and the delivery state that survives a restart of the controller. */

import { expect } from 'chai';
import { zipJobName } from '#crds/api-group.ts';
import type { WebhookState } from '#crds/zip-job.ts';
import { unsupported } from '#test/support/builders/unsupported.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { type ControllerPool, startControllerPool } from '#test/support/processes/controller-pool.ts';
import { deliveryId } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const NAMESPACE = 'webhook-endpoint';

describe('a webhook endpoint', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let pool: ControllerPool;
  before(async () => {
    flow = life.use(await startFlow(NAMESPACE));
    const settings = unsupported({ LEASE_DURATION_MS: 4000 });
    pool = life.use(await startControllerPool({ cluster: flow.cluster, count: 1, settings }));
  });
  after(() => life.disposeAsync());

  async function kubectl(...args: readonly string[]): Promise<string> {
    return (await flow.cluster.kubectl(['-n', NAMESPACE, ...args])).stdout;
  }
  function newJob(): Promise<string> {
    return postJob(flow.baseUrl, flow.project.token, {
      bucket_name: flow.project.bucketName,
      key: `${Math.random().toString(36).slice(2)}.zip`,
      urls: [{ url: flow.origin.url('/gen/1000/1'), filename: 'a' }],
    });
  }
  function untilWebhook(
    uuid: string,
    what: string,
    accept: (webhook: WebhookState) => boolean,
  ): Promise<WebhookState> {
    return until(
      `the webhook of ${uuid} to be ${what}`,
      async () => {
        const { status } = await flow.project.zipJob(uuid);
        return status?.webhook && accept(status.webhook) && status.webhook;
      },
      { limitMs: 100_000, intervalMs: 200 },
    );
  }
  async function restartController(): Promise<void> {
    const before = pool.ended;
    pool.killAll();
    await until('the controller to end', () => pool.ended > before);
    await pool.untilLeading();
  }

  it('gets retries of the same event, each recorded in the status, even after a restart (W5, W6, W18)', async () => {
    const { receiver } = flow;
    receiver.responses.push(500);
    const uuid = await newJob();
    const { log: [first] = [] } = await untilWebhook(uuid, 'tried', ({ attempts = 0 }) => attempts > 0);
    await restartController();
    const done = await untilWebhook(uuid, 'delivered', ({ state }) => state === 'Delivered');
    expect(done).to.include({ attempts: 2, lastStatus: 204 });
    expect(done.log?.map(({ status }) => status)).to.deep.equal([500, 204]);
    expect(done.log?.[0]).to.deep.equal(first);
    for (const one of done.log ?? []) expect(one.durationMs).to.be.at.least(0);
    const sent = receiver.deliveries.filter(({ body }) => body.includes(uuid));
    expect(new Set(sent.map(deliveryId)).size).to.equal(1);
    expect(new Set(sent.map(({ body }) => body)).size).to.equal(1);
  });

  it('gets no events after a 410 until it is enabled again, even after a restart (W9, W10)', async () => {
    const { receiver } = flow;
    receiver.responses.push(410);
    const gone = await newJob();
    await untilWebhook(gone, 'given up', ({ state }) => state === 'Exhausted');
    await kubectl(
      'wait',
      'zipproject/project',
      '--for=jsonpath={.status.webhook.state}=Disabled',
      '--timeout=60s',
    );
    await restartController();
    const unsent = await newJob();
    const kept = await untilWebhook(unsent, 'not sent', ({ state }) => state === 'Exhausted');
    expect(kept).to.include({ attempts: 0 });
    expect(receiver.deliveries.some(({ body }) => body.includes(unsent))).to.equal(false);
    expect((await flow.project.zipJob(unsent)).status).to.include({ phase: 'Succeeded' });

    await kubectl('annotate', 'zipproject', 'project', 'zipjobs.dev/enable-webhook=works-again');
    await kubectl(
      'wait',
      'zipproject/project',
      '--for=jsonpath={.status.webhook.state}=Enabled',
      '--timeout=60s',
    );
    await kubectl('annotate', 'zipjob', zipJobName(unsent), 'zipjobs.dev/replay-webhook=again');
    await untilWebhook(unsent, 'delivered', ({ state }) => state === 'Delivered');
    expect(receiver.deliveries.filter(({ body }) => body.includes(unsent))).to.have.lengthOf(1);
  });
});

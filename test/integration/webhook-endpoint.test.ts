/** An endpoint that wants no more webhooks, and what is kept of deliveries when the controller starts anew. */
import { expect } from 'chai';
import { zipJobName } from '#crds/api-group.ts';
import type { WebhookState } from '#crds/zip-job.ts';
import { postJob } from '../support/api-client.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { RELEASE_NAMESPACE } from '../support/installation.ts';
import { until } from '../support/until.ts';
import { deliveryId } from '../support/webhook-receiver.ts';

const NAMESPACE = 'webhook-endpoint';

describe('an endpoint of webhooks', function () {
  this.timeout(180_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow(NAMESPACE);
  });
  after(() => flow[Symbol.asyncDispose]());

  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await flow.cluster.kubectl(['-n', NAMESPACE, ...args])).stdout;
  const newJob = (): Promise<string> =>
    postJob(flow.baseUrl, flow.project.token, {
      bucket_name: flow.project.bucketName,
      key: `${Math.random().toString(36).slice(2)}.zip`,
      urls: [{ url: flow.origin.url('/gen/1000/1'), filename: 'a' }],
    });
  const untilWebhook = (
    uuid: string,
    what: string,
    accept: (webhook: WebhookState) => boolean,
  ): Promise<WebhookState> =>
    until(
      `the webhook of ${uuid} to be ${what}`,
      async () => {
        const { status } = await flow.project.zipJob(uuid);
        return status?.webhook && accept(status.webhook) && status.webhook;
      },
      { limitMs: 100_000, intervalMs: 200 },
    );
  /** Every controller ends without warning. */
  const restartControllers = async (): Promise<void> => {
    const { node } = flow.cluster;
    const controllers = node.pods().filter(({ name }) => name.startsWith('zipjobs-controller-'));
    for (const { uid } of controllers) node.kill(uid, 'SIGKILL');
    await flow.cluster.kubectl([
      'wait',
      '-n',
      RELEASE_NAMESPACE,
      'deployment/zipjobs-controller',
      '--for=condition=Available=false',
      '--timeout=20s',
    ]);
    await flow.cluster.kubectl([
      'rollout',
      'status',
      '-n',
      RELEASE_NAMESPACE,
      'deployment/zipjobs-controller',
      '--timeout=60s',
    ]);
  };

  it('is tried again with the same event, each attempt told in the status, also after a restart (W5, W6, W18)', async () => {
    const { receiver } = flow;
    receiver.answers.push(500);
    const uuid = await newJob();
    const { log: [first] = [] } = await untilWebhook(uuid, 'tried', ({ attempts = 0 }) => attempts > 0);
    await restartControllers();
    const done = await untilWebhook(uuid, 'delivered', ({ state }) => state === 'Delivered');
    expect(done).to.include({ attempts: 2, lastStatus: 204 });
    expect(done.log?.map(({ status }) => status)).to.deep.equal([500, 204]);
    expect(done.log?.[0]).to.deep.equal(first);
    for (const one of done.log ?? []) expect(one.durationMs).to.be.at.least(0);
    const sent = receiver.deliveries.filter(({ body }) => body.includes(uuid));
    expect(new Set(sent.map(deliveryId)).size).to.equal(1);
    expect(new Set(sent.map(({ body }) => body)).size).to.equal(1);
  });

  it('that answers 410 gets nothing more until somebody enables it, also after a restart (W9, W10)', async () => {
    const { receiver } = flow;
    receiver.answers.push(410);
    const gone = await newJob();
    await untilWebhook(gone, 'given up', ({ state }) => state === 'Exhausted');
    await kubectl(
      'wait',
      'zipproject/project',
      '--for=jsonpath={.status.webhook.state}=Disabled',
      '--timeout=20s',
    );
    await restartControllers();
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
      '--timeout=20s',
    );
    await kubectl('annotate', 'zipjob', zipJobName(unsent), 'zipjobs.dev/replay-webhook=again');
    await untilWebhook(unsent, 'delivered', ({ state }) => state === 'Delivered');
    expect(receiver.deliveries.filter(({ body }) => body.includes(unsent))).to.have.lengthOf(1);
  });
});

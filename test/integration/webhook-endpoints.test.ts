/** Several endpoints of one project, on the real control plane: a fine one, one that is dead, one that is gone, a slow one. */
import { expect } from 'chai';
import { GROUP_VERSION, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { NamedWebhookState, ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import {
  type Delivery,
  deliveryId,
  startWebhookReceiver,
  verifyDelivery,
  type WebhookReceiver,
} from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const NAMESPACE = 'webhook-endpoints';
/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:9/';
const DAY_MS = 86_400_000;

function secretOf(byte: number): string {
  return `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
}
const SECRETS = { fine: secretOf(1), gone: secretOf(2), slow: secretOf(3), dead: secretOf(4) } as const;
type Name = keyof typeof SECRETS;

describe('the webhook endpoints of a project', function () {
  this.timeout(300_000);
  let flow: Flow;
  let fine: WebhookReceiver;
  let gone: WebhookReceiver;
  let slow: WebhookReceiver;
  const started = new AsyncDisposableStack();
  before(async () => {
    flow = started.use(await startFlow(NAMESPACE));
    fine = started.use(await startWebhookReceiver());
    gone = started.use(await startWebhookReceiver({ respond: () => 410 }));
    slow = started.use(await startWebhookReceiver({ respond: () => 'never' }));
    await writeSecret({
      ...Object.fromEntries(Object.entries(SECRETS).map(([name, secret]) => [`${name}.current`, secret])),
      'fine.url': fine.url,
    });
    await setEndpoints([
      { name: 'dead', url: DEAD },
      { name: 'fine' },
      { name: 'gone', url: gone.url },
      { name: 'slow', url: slow.url },
    ]);
  });
  after(() => started.disposeAsync());

  function writeSecret(stringData: Readonly<Record<string, string>>): Promise<string> {
    return flow.kubectl('patch', 'secret', WEBHOOK_SECRET_NAME, '-p', JSON.stringify({ stringData }));
  }
  function setEndpoints(endpoints: readonly object[]): Promise<string> {
    const patch = JSON.stringify({ spec: { webhook: { endpoints } } });
    return flow.kubectl('patch', 'zipproject', PROJECT_NAME, '--type=merge', '-p', patch);
  }
  function projectOf(): Promise<ZipProject> {
    return flow.cluster.read(`/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/zipprojects/${PROJECT_NAME}`);
  }
  /** A finished job that knows this number of endpoints with names. */
  async function finishedJob(endpoints = 4): Promise<string> {
    const uuid = await until('the API to know the endpoints', async () => {
      const posted = await flow.post([{ url: flow.origin.url('/gen/1000/1'), filename: 'a' }]);
      const { spec } = await flow.project.zipJob(posted);
      return (spec.webhook?.endpoints ?? []).length === endpoints && posted;
    });
    await flow.project.untilPhase(uuid, ['Succeeded'], 100_000);
    return uuid;
  }
  function stateOf({ status }: ZipJob, name: Name): NamedWebhookState | undefined {
    return status?.webhook?.endpoints?.find((one) => one.name === name);
  }
  function untilJob(what: string, uuid: string, isSo: (job: ZipJob) => boolean): Promise<ZipJob> {
    return until(what, async () => {
      const job = await flow.project.zipJob(uuid);
      return isSo(job) && job;
    });
  }
  function received(receiver: WebhookReceiver, uuid: string): Promise<Delivery> {
    return receiver.next(({ body }) => body.includes(uuid));
  }
  function notifiedBy({ status }: ZipJob): string | undefined {
    return findCondition(status?.conditions, 'Notified')?.reason;
  }

  it('get the same event, each with its own secret, whatever happens at the others', async () => {
    const uuid = await finishedJob();
    const deliveries = await Promise.all([flow.receiver, fine, gone, slow].map((one) => received(one, uuid)));
    const secrets = [flow.project.webhookSecret, SECRETS.fine, SECRETS.gone, SECRETS.slow];
    for (const [index, delivery] of deliveries.entries()) {
      verifyDelivery(delivery, secrets[index] ?? '');
      expect(deliveryId(delivery)).to.equal(`msg_${uuid}_COMPLETED`);
      expect(delivery.body).to.equal(deliveries[0]?.body);
    }
    const job = await untilJob('the deliveries to be recorded', uuid, (one) => {
      const { state } = one.status?.webhook ?? {};
      const isOver =
        stateOf(one, 'gone')?.state === 'Exhausted' && stateOf(one, 'fine')?.state === 'Delivered';
      return state === 'Delivered' && isOver && (stateOf(one, 'dead')?.attempts ?? 0) > 0;
    });
    expect(stateOf(job, 'gone')).to.include({ lastStatus: 410, attempts: 1 });
    expect(stateOf(job, 'dead')).to.include({ state: 'Pending' });
    expect(stateOf(job, 'dead')?.log?.at(-1)).to.include({ error: 'unreachable' });
    expect(stateOf(job, 'slow')).to.include({ state: 'Pending' });
    expect(notifiedBy(job)).to.equal('WebhookPending');
  });

  it('are disabled one by one, and a disabled one gets nothing', async () => {
    const endpoints = await until('the state of the endpoint', async () => {
      const { webhook } = (await projectOf()).status ?? {};
      return webhook?.endpoints?.some(({ state }) => state === 'Disabled') === true && webhook.endpoints;
    });
    const disabled = endpoints.filter(({ state }) => state === 'Disabled');
    expect(disabled.map(({ name, reason }) => [name, reason])).to.deep.equal([['gone', 'Gone']]);
    const uuid = await finishedJob();
    const job = await untilJob(
      'the delivery to end',
      uuid,
      (one) => stateOf(one, 'gone')?.state === 'Exhausted' && stateOf(one, 'fine')?.state === 'Delivered',
    );
    expect(stateOf(job, 'gone')).to.include({ reason: 'EndpointDisabled', attempts: 0 });
    await received(flow.receiver, uuid);
    expect(gone.deliveries.filter(({ body }) => body.includes(uuid))).to.deep.equal([]);
  });

  it('are tested and enabled one by one', async () => {
    await flow.kubectl(
      'annotate',
      'zipproject',
      PROJECT_NAME,
      'zipjobs.dev/test-webhook.fine=try-1',
      'zipjobs.dev/enable-webhook.gone=again-1',
    );
    verifyDelivery(await fine.next(({ body }) => body.includes('"TEST"')), SECRETS.fine);
    await until('the results of both commands', async () => {
      const all = (await projectOf()).status?.webhook?.endpoints ?? [];
      const test = all.find(({ name }) => name === 'fine')?.test;
      const enabled = all.find(({ name }) => name === 'gone');
      return test?.nonce === 'try-1' && test.status === 204 && enabled?.state === 'Enabled';
    });
    expect(flow.receiver.deliveries.filter(({ body }) => body.includes('"TEST"'))).to.deep.equal([]);
  });

  it('rotate their secrets one by one (W11)', async () => {
    const next = secretOf(9);
    const previousUntil = new Date(Date.now() + DAY_MS).toISOString();
    await writeSecret({
      'fine.current': next,
      'fine.previous': SECRETS.fine,
      'fine.previousUntil': previousUntil,
    });
    const uuid = await finishedJob();
    const rotated = await received(fine, uuid);
    for (const secret of [next, SECRETS.fine]) verifyDelivery(rotated, secret);
    const other = await received(flow.receiver, uuid);
    expect(String(other.headers['webhook-signature']).split(' ')).to.have.lengthOf(1);
  });

  it('end their pending deliveries when they are removed, and the job is then notified of', async () => {
    const uuid = await finishedJob();
    await untilJob('the first attempt', uuid, (one) => (stateOf(one, 'dead')?.attempts ?? 0) > 0);
    await setEndpoints([{ name: 'fine' }]);
    const job = await untilJob('the deliveries to end', uuid, (one) => notifiedBy(one) !== 'WebhookPending');
    expect(stateOf(job, 'dead')).to.include({ state: 'Exhausted', reason: 'EndpointRemoved' });
    expect(stateOf(job, 'fine')).to.include({ state: 'Delivered' });
    expect(await flow.kubectl('get', 'events', '-o', 'jsonpath={.items[*].reason}')).to.contain(
      'EndpointRemoved',
    );
    const { status } = await projectOf();
    const states = await until('the states of the others to be dropped', async () => {
      const all = (await projectOf()).status?.webhook?.endpoints ?? [];
      return all.flatMap(({ name, state }) => (state ? [name] : [])).join() === 'fine' && all;
    });
    expect(status?.webhook).to.include({ state: 'Enabled' });
    // Its command must not run again if it is added again.
    expect(states.filter(({ name }) => name !== 'fine')).to.deep.equal([
      { name: 'gone', enabledNonce: 'again-1' },
    ]);
  });
});

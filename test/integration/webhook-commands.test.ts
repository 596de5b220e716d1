/** Webhooks that users on call control with annotations, on the real control plane. */
import { expect } from 'chai';
import { GROUP_VERSION, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { verifyDelivery } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const NAMESPACE = 'webhook-commands';

describe('the webhooks of a project', function () {
  this.timeout(240_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow(NAMESPACE);
  });
  after(() => flow[Symbol.asyncDispose]());

  function post(): Promise<string> {
    return flow.post([{ url: flow.origin.url('/gen/1000/1'), filename: 'a' }]);
  }
  async function finishedJob(): Promise<string> {
    const uuid = await post();
    await flow.project.untilPhase(uuid, ['Succeeded'], 100_000);
    return uuid;
  }
  function projectOf(): Promise<ZipProject> {
    return flow.cluster.read(`/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/zipprojects/${PROJECT_NAME}`);
  }

  it('replay one event after an annotation, with the same ID and body, and a new time and signature (W15)', async () => {
    const { receiver, project } = flow;
    const uuid = await finishedJob();
    const first = await receiver.next((one) => one.body.includes(uuid));
    await until('the delivery to be recorded', async () => {
      const job = await flow.project.zipJob(uuid);
      return job.status?.webhook?.state === 'Delivered';
    });
    await flow.kubectl('annotate', 'zipjob', `zip-${uuid}`, 'zipjobs.dev/replay-webhook=again');
    const second = await receiver.next((one) => one !== first && one.body.includes(uuid));
    verifyDelivery(second, project.webhookSecret);
    expect(second.body).to.equal(first.body);
    expect(second.headers['webhook-id']).to.equal(first.headers['webhook-id']);
    await until('the replay to be recorded', async () => {
      const job = await flow.project.zipJob(uuid);
      const webhook = job.status?.webhook;
      return webhook?.replayNonce === 'again' && webhook.state === 'Delivered' && webhook.log?.length === 2;
    });
  });

  it('send a signed test event after an annotation, and report its result in the status of the project', async () => {
    await flow.kubectl('annotate', 'zipproject', 'project', 'zipjobs.dev/test-webhook=try-1');
    const delivery = await flow.receiver.next((one) => one.body.includes('"TEST"'));
    verifyDelivery(delivery, flow.project.webhookSecret);
    expect(JSON.parse(delivery.body)).to.deep.equal({ type: 'TEST', project: NAMESPACE });
    const test = await until('the result of the test', async () => (await projectOf()).status?.webhook?.test);
    expect(test).to.include({ nonce: 'try-1' });
    expect(test.status).to.be.within(200, 299);
  });

  it('go to a URL in the Secret, which nobody with the role view can read (N15)', async () => {
    const CANARY = 'cAnArY-of-a-path';
    const { receiver, project } = flow;
    const url = `${receiver.url}/services/${CANARY}`;
    await flow.kubectl('create', 'rolebinding', 'vic', '--clusterrole=view', '--user=vic');
    await flow.kubectl('patch', 'secret', WEBHOOK_SECRET_NAME, '-p', JSON.stringify({ stringData: { url } }));
    const patch = JSON.stringify({ spec: { webhook: { url: null } } });
    await flow.kubectl('patch', 'zipproject', 'project', '--type=merge', '-p', patch);
    const uuid = await until('the API to know the new webhook', async () => {
      const posted = await post();
      const { spec } = await project.zipJob(posted);
      return spec.webhook?.url === undefined && posted;
    });
    await project.untilPhase(uuid, ['Succeeded'], 100_000);
    const delivery = await receiver.next((one) => one.body.includes(uuid));
    verifyDelivery(delivery, project.webhookSecret);
    expect(delivery.path).to.contain(CANARY);
    await until('the host to be known', async () =>
      JSON.stringify(await projectOf()).includes(`"host":"${new URL(url).host}"`),
    );
    expect(await flow.kubectl('get', 'zipprojects', '-o', 'wide')).to.contain(new URL(url).host);
    const seen = await flow.kubectl(
      'get',
      'zipprojects,zipjobs,zipbuckets,jobs,pods,events,configmaps,serviceaccounts',
      '-o',
      'yaml',
      '--as=vic',
    );
    expect(seen).to.contain(uuid).and.not.contain(CANARY);
    const refused = await flow.cluster.kubectl(
      ['get', 'secret', WEBHOOK_SECRET_NAME, '-n', NAMESPACE, '--as=vic'],
      { allowFailure: true },
    );
    expect(refused.exitCode).to.not.equal(0);
  });
});

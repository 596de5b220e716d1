/** What a receiver can rely on in every delivery: its signature, its size and its trace. */
import { expect } from 'chai';
import { WEBHOOK_SECRET_NAME, zipJobName } from '#crds/api-group.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { type Delivery, verifyDelivery } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const NAMESPACE = 'webhook-trace';
const DAY_MS = 86_400_000;
const NEW_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const METADATA_BYTES = 16_384;
const MAX_BODY_BYTES = 20_000;

describe('a webhook', function () {
  this.timeout(300_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow(NAMESPACE);
  });
  after(() => flow[Symbol.asyncDispose]());

  async function kubectl(...args: readonly string[]): Promise<string> {
    return (await flow.cluster.kubectl(args)).stdout;
  }
  async function post(body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const { baseUrl, project, origin } = flow;
    const urls = [{ url: origin.url('/gen/1000/1'), filename: 'a' }];
    const request = { bucket_name: project.bucketName, key: `${Math.random()}.zip`, urls, ...body };
    const text = JSON.stringify(request);
    const options = { method: 'POST', path: '/v1/zips', token: project.token, body: text, headers };
    const response = await askApi(baseUrl, options);
    expect(response.status, response.text).to.equal(201);
    return response.body.data?.uuid ?? '';
  }
  function delivered(uuid: string): Promise<Delivery> {
    return flow.receiver.next(({ body }) => body.includes(uuid), 100_000);
  }
  function rotate(secret: Readonly<Record<string, string>>): Promise<string> {
    return kubectl(
      '-n',
      NAMESPACE,
      'patch',
      'secret',
      WEBHOOK_SECRET_NAME,
      '--type=merge',
      '-p',
      JSON.stringify({ stringData: secret }),
    );
  }

  it('is below 20 kB with the longest metadata that the API accepts, untruncated (W14)', async () => {
    const frame = JSON.stringify({ note: '' }).length;
    const metadata = { note: 'n'.repeat(METADATA_BYTES - frame) };
    const { body } = await delivered(await post({ metadata }));
    expect(Buffer.byteLength(body)).to.be.within(METADATA_BYTES, MAX_BODY_BYTES - 1);
    expect(JSON.parse(body)).to.deep.include({ metadata });
  });

  it('is accepted by both published libraries with the old and the new secret during a rotation (W2, W4, W11)', async () => {
    const { project, receiver } = flow;
    const old = project.webhookSecret;
    const previousUntil = new Date(Date.now() + DAY_MS).toISOString();
    await rotate({ current: NEW_SECRET, previous: old, previousUntil });
    // Each of the two secrets alone must verify it; the flow fails at its end when one did not.
    receiver.trust(old, NEW_SECRET);
    const during = await delivered(await post({}));
    expect(String(during.headers['webhook-signature']).split(' ')).to.have.lengthOf(2);
    for (const secret of [old, NEW_SECRET]) verifyDelivery(during, secret);
    expect(receiver.refused).to.deep.equal([]);

    await rotate({ previousUntil: new Date(Date.now() - 1000).toISOString() });
    receiver.trust(NEW_SECRET);
    const afterwards = await delivered(await post({}));
    verifyDelivery(afterwards, NEW_SECRET);
    expect(() => verifyDelivery(afterwards, old)).to.throw(/signature/i);
  });

  it('carries the trace of its request, as do the logs of all three processes', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    const uuid = await post({}, { traceparent });
    const { headers } = await delivered(uuid);
    expect(headers['traceparent']).to.equal(traceparent);
    async function linesOf(...of: readonly string[]): Promise<readonly string[]> {
      return (await kubectl('logs', ...of))
        .split('\n')
        .filter((line) => line.includes(`"traceId":"${traceId}"`));
    }
    const release = ['-n', RELEASE_NAMESPACE, '--tail=-1'];
    const ofZipper = ['-n', NAMESPACE, `job/${zipJobName(uuid)}`];
    await until('the zipper to have logged', async () => (await linesOf(...ofZipper)).length > 0);
    expect(await linesOf(...release, '-l', 'app.kubernetes.io/component=api')).to.have.lengthOf(1);
    const lines = await until('the controller to have logged the webhook', async () => {
      const all = await linesOf(...release, '-l', 'app.kubernetes.io/component=controller');
      return all.some((line) => line.includes('a webhook delivery was attempted')) && all;
    });
    const moves = lines.map((line) => (JSON.parse(line) as { phase?: string }).phase).filter(Boolean);
    expect(moves).to.include('Starting');
    expect(moves.at(-1)).to.equal('Succeeded');
    for (const line of lines) expect(line).to.include(`"zipJob":"${NAMESPACE}/${zipJobName(uuid)}"`);
  });
});

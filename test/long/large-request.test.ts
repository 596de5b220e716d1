/** The largest accepted request, and larger ones. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { type ApiResponse, askApi } from '#test/support/clients/api-client.ts';
import { presignedRequest } from '#test/support/clients/presigned-request.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const FILES = 10_000;
const FILE_BYTES = 16;
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const NAMESPACE = 'large-request';
const SECRET = `cAnArY${randomUUID().replaceAll('-', '')}`;

describe('a request for 10,000 files with presigned URLs of 1,964 characters', function () {
  this.timeout(300_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow(NAMESPACE);
  });
  after(() => flow[Symbol.asyncDispose]());

  function requestFor(count: number): string {
    return presignedRequest({
      bucketName: flow.project.bucketName,
      key: 'large.zip',
      count,
      url: (index) => flow.origin.url(`/gen/${FILE_BYTES}/${index}`),
      secret: SECRET,
    });
  }
  function post(body: string): Promise<ApiResponse> {
    return askApi(flow.baseUrl, { method: 'POST', path: '/v1/zips', token: flow.project.token, body });
  }
  async function show(...args: readonly string[]): Promise<string> {
    return (await flow.cluster.kubectl(args)).stdout;
  }
  async function podsOf(namespace: string): Promise<readonly string[]> {
    return (await show('get', 'pods', '-n', namespace, '-o', 'name'))
      .split('\n')
      .filter((name) => name !== '');
  }

  it('is accepted and archived byte for byte, and its URLs are deleted afterwards (T13) (FD6)', async () => {
    const startedAt = performance.now();
    const response = await post(requestFor(FILES));
    console.log(`      accepted after ${(performance.now() - startedAt).toFixed(0)} ms`);
    expect(response.status, response.text).to.equal(201);
    const { uuid = '' } = response.body.data ?? {};
    await flow.project.untilPhase(uuid, ['Succeeded'], 240_000);
    const logs: string[] = [];
    await until(
      'the zipper to log',
      async () => {
        const zippers = (await podsOf(NAMESPACE)).filter((name) => name.includes(uuid));
        for (const pod of zippers) logs.push(await show('logs', '-n', NAMESPACE, pod));
        return logs.some((log) => log !== '');
      },
      { limitMs: 60_000, intervalMs: 500 },
    );
    const entries = await zipEntries(await flow.project.bucket.bytes('large.zip'));
    expect(entries.map(({ name }) => name)).to.deep.equal(
      Array.from({ length: FILES }, (_, index) => `files/${String(index).padStart(5, '0')}.bin`),
    );
    const wrong = entries.findIndex(
      ({ content }, index) => !content.equals(generatedBytes(FILE_BYTES, index)),
    );
    expect(wrong, 'index of the first entry with other bytes').to.equal(-1);
    for (const namespace of [NAMESPACE, RELEASE_NAMESPACE])
      for (const pod of await podsOf(namespace)) logs.push(await show('logs', '-n', namespace, pod));
    expect(logs.length).to.be.at.least(4);
    const shown = [
      ...logs,
      await show('get', 'zipjobs,jobs,pods,events', '-A', '-o', 'yaml'),
      await show('describe', 'zipjob', '-n', NAMESPACE, `zip-${uuid}`),
    ];
    expect(shown.filter((text) => text.includes(SECRET))).to.deep.equal([]);
  });

  it('is refused with 422 and the maximum when it has one file more', async () => {
    const { status, body } = await post(requestFor(FILES + 1));
    expect([status, body.error?.code, body.error?.param]).to.deep.equal([422, 'parameter_invalid', 'urls']);
    expect(body.error?.message).to.match(/10,?000/);
  });

  it('is refused with 413 and the maximum when it has one byte more than 32 MiB (T12)', async () => {
    function padded(bytes: number): string {
      const body = requestFor(1);
      return `${body}${' '.repeat(bytes - body.length)}`;
    }
    const { status, body } = await post(padded(MAX_BODY_BYTES + 1));
    expect(status).to.equal(413);
    expect(body.error?.message).to.match(/33554432/);
    expect((await post(padded(MAX_BODY_BYTES))).status).to.equal(201);
  });
});

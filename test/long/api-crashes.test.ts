/** The API crashes or loses the API server while clients keep sending requests. */

import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { unsupported } from '#test/support/builders/unsupported.ts';
import { type ApiResponse, askApi, postJob } from '#test/support/clients/api-client.ts';
import { apiServerTls } from '#test/support/clients/api-server-tls.ts';
import { startSteadyLoad } from '#test/support/clients/steady-load.ts';
import { startApiProcess } from '#test/support/processes/api-process.ts';
import type { ServerProcess, ServerProcessOptions } from '#test/support/processes/server-process.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow, untilTokenKnown } from '#test/support/worlds/flow.ts';
import { type FaultAction, type FaultProxy, startFaultProxy } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

function isCreate(plural: string, { method, path }: ProxiedRequest): boolean {
  return method === 'POST' && path.split('?')[0]?.endsWith(`/${plural}`) === true;
}

const VERIFICATION_TIMEOUT_MS = 400;
/** Several times as long. */
const STALE_MS = 2_000;

describe('crashes of the API and outages of the API server', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let judge: ((request: ProxiedRequest) => FaultAction | undefined) | undefined;
  let proxy: FaultProxy;
  let replicas: readonly [ServerProcess, ServerProcess];
  /** It accepts a token only for a short time without the API server. */
  let withShortLimits: ServerProcess;

  before(async () => {
    flow = life.use(await startFlow('api-crashes'));
    proxy = life.use(
      await startFaultProxy({
        upstream: flow.cluster.apiServer.url,
        tls: await apiServerTls(flow.cluster),
        judge: (request) => judge?.(request),
      }),
    );
    const env = unsupported({
      TOKEN_STALE_MS: STALE_MS,
      TOKEN_FRESH_MS: 300,
      TOKEN_VERIFICATION_TIMEOUT_MS: VERIFICATION_TIMEOUT_MS,
    });
    const [first, second, third] = await Promise.all([startApi(), startApi(), startApi({ env })]);
    replicas = [first, second];
    withShortLimits = third;
  });
  after(() => life.disposeAsync());
  afterEach(() => {
    judge = undefined;
  });

  async function startApi(options: ServerProcessOptions = {}): Promise<ServerProcess> {
    const api = life.use(await startApiProcess(flow.cluster, { apiServerUrl: proxy.url, ...options }));
    await untilTokenKnown(api.url, flow.project.token);
    return api;
  }
  function body(key: string): string {
    return JSON.stringify({
      bucket_name: flow.project.bucketName,
      key,
      urls: [{ url: flow.origin.url('/gen/1000/1'), filename: 'a' }],
    });
  }
  function post(api: ServerProcess, key: string, idempotencyKey?: string): Promise<ApiResponse> {
    return askApi(api.url, {
      method: 'POST',
      path: '/v1/zips',
      token: flow.project.token,
      body: body(key),
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    });
  }
  async function jobsOf(key: string): Promise<readonly ZipJob[]> {
    const { stdout } = await flow.cluster.kubectl(
      `get zipjobs -o json -n ${flow.project.namespace}`.split(' '),
    );
    const { items } = JSON.parse(stdout) as { items: ZipJob[] };
    return items.filter(({ spec }) => spec.key === key);
  }

  it('creates one job for 100 requests with one idempotency key to two replicas (T11)', async () => {
    // An overloaded machine returns some 503 responses, which callers have to retry.
    function postUntilAccepted(n: number): Promise<ApiResponse> {
      return until('a request to be accepted', async () => {
        const response = await post(replicas[n % 2 === 0 ? 0 : 1], 'hundred.zip', 'hundred');
        return response.status !== 503 && response;
      });
    }
    const responses = await Promise.all(Array.from({ length: 100 }, (_, n) => postUntilAccepted(n)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    expect(responses[0]?.status).to.equal(201);
    expect(await jobsOf('hundred.zip')).to.have.length(1);
    await flow.project.untilPhase(responses[0]?.body.data?.uuid ?? '', ['Succeeded']);
  });

  for (const [moment, plural] of [
    ['between the creation of the job and its list', 'zipjobs'],
    ['between the creation of the list and the response', 'secrets'],
  ] as const)
    it(`returns the same uuid to the retry after a crash ${moment} (T10, T11)`, async () => {
      const key = `killed-after-${plural}.zip`;
      const first = await startApi();
      judge = (request) =>
        isCreate(plural, request) ? { kind: 'kill', kill: () => first.kill() } : undefined;
      const lost = await post(first, key, plural).catch((error: unknown) => error);
      expect(lost).to.be.instanceOf(Error);
      judge = undefined;
      const [before] = await jobsOf(key);
      const response = await post(replicas[0], key, plural);
      expect(response.status, response.text).to.equal(201);
      expect(response.headers.get('idempotent-replayed')).to.equal('true');
      const { uuid = '' } = response.body.data ?? {};
      expect(`zip-${uuid}`).to.equal(before?.metadata.name);
      expect(await jobsOf(key)).to.have.length(1);
      await flow.project.untilPhase(uuid, ['Succeeded']);
    });

  it('does not block the next job with the same key when a job has no list', async () => {
    const [api] = replicas;
    judge = (request) => (isCreate('secrets', request) ? { kind: 'response', status: 500 } : undefined);
    const refused = await post(api, 'held-up.zip');
    expect(refused.status).to.equal(503);
    expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1);
    judge = undefined;
    const { body: response } = await post(api, 'held-up.zip');
    await flow.project.untilPhase(response.data?.uuid ?? '', ['Succeeded']);
    await until('the first job to be gone', async () => (await jobsOf('held-up.zip')).length === 1);
  });

  for (const [fault, action] of [
    ['refuses every connection', { kind: 'refuse' }],
    ['sends no response', { kind: 'delay', ms: 60_000 }],
  ] as const)
    it(`returns 503 with an error body once it cannot verify a token because the API server ${fault} (T6, H11)`, async () => {
      const api = withShortLimits;
      const { token } = flow.project;
      // At a replica with the usual limits: a busy machine alone exceeds the short ones.
      const uuid = await postJob(replicas[0].url, token, body(`finished-${action.kind}.zip`));
      await flow.project.untilPhase(uuid, ['Succeeded']);
      function read(): Promise<ApiResponse> {
        return askApi(api.url, { path: `/v1/zips/${uuid}`, token });
      }
      await until('the API to hold the response', async () => {
        const { text } = await read();
        return text.includes('succeeded');
      });
      judge = () => action;
      const cutAt = performance.now();
      await using load = startSteadyLoad(20, async () => (await read()).status);
      function resultsOf(isWanted: (at: number) => boolean): readonly (number | string)[] {
        return load.outcomes.filter(({ at }) => isWanted(at)).map(({ result }) => result);
      }
      function late(): readonly (number | string)[] {
        return resultsOf((at) => at > cutAt + STALE_MS);
      }
      await until('requests after the deadline', () => late().length > 40, { limitMs: 120_000 });
      expect(new Set(late()), 'after the deadline').to.deep.equal(new Set([503]));
      expect(
        resultsOf((at) => at < cutAt + STALE_MS),
        'before it',
      ).to.include(200);
      for (const response of [await read(), await post(api, 'cut-off.zip')]) {
        expect([response.status, response.body.error?.type]).to.deep.equal([503, 'api_error']);
        expect(Number(response.headers.get('retry-after'))).to.be.at.least(1);
      }
      expect(await api.isReady(), 'replicas stay ready: otherwise all would become unready at once').to.equal(
        true,
      );
      judge = undefined;
      await until(
        'it to recover',
        async () => (await post(api, `recovered-${action.kind}.zip`)).status === 201,
      );
    });
});

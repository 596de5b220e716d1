import { expect } from 'chai';
import { generateToken } from '#crds/api-token.ts';
import { createManualClock, type ManualClock } from '#test/support/builders/manual-clock.ts';
import {
  A_REQUEST,
  type ApiServer,
  aBucket,
  aProject,
  aToken,
  startApiServer,
} from '#test/support/servers/api-server.ts';
import { until } from '#test/support/until.ts';

async function start(limits: Readonly<Record<string, number>>, clock = createManualClock()) {
  return {
    clock,
    api: await startApiServer({ clock, projectClasses: { default: limits } }),
  };
}

function addOtherProject(api: ApiServer): string {
  const token = generateToken();
  api.projects.put(aProject('team-b'));
  api.buckets.put(aBucket('team-b', 's3', A_REQUEST.bucket_name));
  api.tokens.put(aToken('team-b', token));
  return token;
}

function withFiles(count: number) {
  return {
    ...A_REQUEST,
    urls: Array.from({ length: count }, (_, index) => ({ ...A_REQUEST.urls[0], filename: `f${index}` })),
  };
}

async function statuses(requests: readonly ReturnType<ApiServer['post']>[]): Promise<readonly number[]> {
  return (await Promise.all(requests)).map(({ status }) => status);
}

/** The response to a create that waits before it is refused. */
async function refusedOf(api: ApiServer, clock: ManualClock, waiting = 0): ReturnType<ApiServer['post']> {
  const refused = api.post(A_REQUEST);
  await until('the refused create to wait', () => clock.pending === waiting + 1);
  await clock.advance(2_000);
  return refused;
}

describe('the limit of creates per second', () => {
  it('delays the creates of a project after a burst of ten seconds, and nothing else (N7)', async () => {
    const { api, clock } = await start({ createsPerSecond: 2 });
    await using _api = api;
    for (let n = 0; n < 20; n += 1) expect((await api.post(A_REQUEST)).status).to.equal(201);
    const late = [api.post(A_REQUEST), api.post(A_REQUEST)];
    await until('two creates to wait', () => clock.pending === 2);
    expect((await api.post(A_REQUEST, { token: addOtherProject(api) })).status).to.equal(201);
    expect((await api.ask({ path: '/v1/zips/6f1c1f0e-0000-4000-8000-000000000000' })).status).to.equal(404);
    await clock.advance(500);
    await until('one create to wait', () => clock.pending === 1);
    await clock.advance(500);
    expect(await statuses(late)).to.deep.equal([201, 201]);
    expect(await api.registry.metrics()).to.contain('zip_api_delayed_requests_total{limit="creates"} 2\n');
    expect(api.logLines.some((line) => line.includes('"delayedMs":1000'))).to.equal(true);
  });

  it('refuses creates that would wait longer than two seconds (N7)', async () => {
    const { api, clock } = await start({ createsPerSecond: 1 });
    await using _api = api;
    const accepted = Array.from({ length: 12 }, () => api.post(A_REQUEST));
    await until('two creates to wait', () => clock.pending === 2);
    const refused = await refusedOf(api, clock, 2);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '3']);
    expect(refused.body.error).to.include({
      code: 'rate_limit_exceeded',
      message: 'Too many creates of this project per second. Send the request again in 3 s.',
    });
    expect(await api.registry.metrics()).to.contain('zip_api_rate_limited_total{limit="creates"} 1\n');
    expect(new Set(await statuses(accepted))).to.deep.equal(new Set([201]));
    expect(api.jobs.all()).to.have.length(12);
  });

  it('is lowered, but not raised, by spec.limits (N8)', async () => {
    const { api } = await start({ createsPerSecond: 2 });
    await using _api = api;
    api.projects.put(aProject('team-a', { limits: { createsPerSecond: 1 } }));
    for (let n = 0; n < 10; n += 1) expect((await api.post(A_REQUEST)).status).to.equal(201);
    const { api: other, clock } = await start({ createsPerSecond: 1 });
    await using _other = other;
    other.projects.put(aProject('team-a', { limits: { createsPerSecond: 1_000 } }));
    for (let n = 0; n < 10; n += 1) expect((await other.post(A_REQUEST)).status).to.equal(201);
    const late = other.post(A_REQUEST);
    await until('a create to wait', () => clock.pending === 1);
    await clock.advance(1_000);
    expect((await late).status).to.equal(201);
  });
});

describe('the limit of files per second', () => {
  it('makes the creates of a project wait for the files of earlier ones (N7)', async () => {
    const { api, clock } = await start({ filesPerSecond: 10 });
    await using _api = api;
    for (const files of [60, 55]) expect((await api.post(withFiles(files))).status).to.equal(201);
    const late = api.post(A_REQUEST);
    await until('a create to wait', () => clock.pending === 1);
    expect((await api.post(A_REQUEST, { token: addOtherProject(api) })).status).to.equal(201);
    await clock.advance(1_500);
    expect((await late).status).to.equal(201);
    expect(await api.registry.metrics()).to.contain('zip_api_delayed_requests_total{limit="files"} 1\n');
  });

  it('refuses creates that would wait longer than two seconds, until the files are due (N7)', async () => {
    const { api, clock } = await start({ filesPerSecond: 10 });
    await using _api = api;
    expect((await api.post(withFiles(170))).status).to.equal(201);
    const refused = await refusedOf(api, clock);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '7']);
    expect(refused.body.error?.message).to.match(/^Too many files in creates of this project per second/);
    expect(await api.registry.metrics()).to.contain('zip_api_rate_limited_total{limit="files"} 1\n');
    clock.jump(5_000);
    expect((await api.post(A_REQUEST)).status).to.equal(201);
  });

  it('counts the files of creates with invalid entries too (N7)', async () => {
    const { api, clock } = await start({ filesPerSecond: 10 });
    await using _api = api;
    const { urls, ...rest } = withFiles(170);
    const invalid = { ...rest, urls: urls.map((file) => ({ ...file, url: 'http://10.0.0.1/' })) };
    expect((await api.post(invalid, { path: '/v1/zips?expand=error' })).status).to.equal(422);
    const refused = await refusedOf(api, clock);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '7']);
  });

  it('counts requests that arrive together one after another (N7)', async () => {
    const { api, clock } = await start({ filesPerSecond: 100 });
    await using _api = api;
    const body = withFiles(2_000);
    expect(JSON.stringify(body).length, 'read one after another').to.be.above(128 * 1_024);
    const together = Array.from({ length: 3 }, () => api.post(body));
    let ended = 0;
    for (const request of together)
      void request.then(() => {
        ended += 1;
      });
    // One whose body arrives after the others were read waits before it is refused.
    await until('all responses', async () => {
      if (clock.pending > 0) await clock.advance(2_000);
      return ended === together.length;
    });
    const accepted = (await statuses(together)).filter((status) => status === 201);
    expect(accepted).to.have.length(1);
    expect(api.jobs.all()).to.have.length(1);
  });
});

import { expect } from 'chai';
import { generateToken, maskToken } from '#crds/api-token.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { A_REQUEST, aProject, aToken, startApiServer } from '#test/support/servers/api-server.ts';

const PATH = '/v1/zips/6f1c1f0e-0000-4000-8000-000000000000';

describe('rate limits', () => {
  it('are reported in every response to an authenticated caller (T8)', async () => {
    await using api = await startApiServer({
      rateLimits: { requestsPerMinutePerToken: 100 },
      projectClasses: { default: { requestsPerMinute: 200 } },
    });
    for (const response of [await api.post(A_REQUEST), await api.post('{'), await api.ask({ path: PATH })]) {
      expect(response.headers.get('ratelimit-policy')).to.equal('"token";q=100;w=60, "project";q=200;w=60');
      expect(response.headers.get('ratelimit')).to.match(/^"token";r=9[789];t=60, "project";r=19[789];t=60$/);
    }
  });

  it('return 429 in the error envelope with Retry-After if a token sends too many requests (T8, T9)', async () => {
    await using api = await startApiServer({ rateLimits: { requestsPerMinutePerToken: 2 } });
    await api.ask({ path: PATH });
    await api.ask({ path: PATH });
    const response = await api.post(A_REQUEST);
    expect(response.status).to.equal(429);
    expect(response.body.error).to.include({
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      param: null,
    });
    const [, left] = /^"token";r=0;t=(\d+)$/.exec(response.headers.get('ratelimit') ?? '') ?? [];
    expect(Number(response.headers.get('retry-after')))
      .to.be.at.least(Number(left))
      .and.at.least(1);
    expect(api.jobs.all()).to.have.length(0);
    expect(await api.registry.metrics()).to.include('zip_api_rate_limited_total{limit="token"} 1');
    const other = generateToken();
    api.tokens.put(aToken('team-a', other, { name: 'other' }));
    expect((await api.post(A_REQUEST, { token: other })).status).to.equal(201);
  });

  it('count requests that a token has no permission for', async () => {
    await using api = await startApiServer({ rateLimits: { requestsPerMinutePerToken: 1 } });
    const reader = generateToken();
    api.tokens.put(aToken('team-a', reader, { name: 'reader', permissions: ['read'] }));
    expect((await api.post(A_REQUEST, { token: reader })).status).to.equal(403);
    expect((await api.post(A_REQUEST, { token: reader })).status).to.equal(429);
  });

  it('stop a flood of invalid tokens from one address without affecting valid tokens (T9)', async () => {
    await using api = await startApiServer({ rateLimits: { authFailuresPerMinute: 2 } });
    const statuses: number[] = [];
    for (const token of ['x', generateToken(), 'x'])
      statuses.push((await api.ask({ path: PATH, token })).status);
    expect(statuses).to.deep.equal([401, 401, 429]);
    const flood = await api.ask({ path: PATH, token: 'x' });
    expect(flood.body.error?.code).to.equal('rate_limit_exceeded');
    expect(Number(flood.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await api.ask({ path: PATH })).status).to.equal(404);
  });

  it('refuse an address that guesses a token before its guesses are hashed, and no other token (N30)', async () => {
    await using api = await startApiServer({
      trustedProxies: ['127.0.0.0/8'],
      rateLimits: { authFailuresPerMinute: 2 },
    });
    const [guess, victim] = [generateToken(), generateToken()];
    // A token whose mask the guess has.
    const target = aToken('team-a', victim, { name: 'target' });
    api.tokens.put({ ...target, spec: { ...target.spec, masked: maskToken(guess) } });
    async function from(client: string, token: string) {
      return (await api.ask({ path: PATH, token, headers: { 'x-forwarded-for': client } })).status;
    }
    expect([await from('192.0.2.1', guess), await from('192.0.2.1', guess)]).to.deep.equal([401, 401]);
    // Now the guess is a real token, and a hash would find it.
    api.tokens.put({ ...aToken('team-a', guess, { name: 'target' }) });
    expect(await from('192.0.2.1', guess)).to.equal(429);
    expect(await from('192.0.2.2', guess)).to.equal(404);
    expect(await from('192.0.2.1', api.token)).to.equal(404);
    expect(await api.registry.metrics()).to.include('zip_api_rate_limited_total{limit="failures"} 1');
  });

  it('compare a request with a bounded number of tokens, and keep the oldest valid (N30)', async () => {
    await using api = await startApiServer();
    const victim = generateToken();
    function created(second: number) {
      return new Date(second * 1_000).toISOString();
    }
    function at(token: ZipToken, second: number): ZipToken {
      return {
        ...token,
        metadata: { ...token.metadata, creationTimestamp: created(second) },
      };
    }
    api.tokens.put(at(aToken('team-a', victim, { name: 'victim' }), 1));
    for (let n = 0; n < 10; n += 1) {
      api.projects.put(aProject(`evil-${n}`));
      for (let k = 0; k < 20; k += 1) {
        const forged = aToken(`evil-${n}`, generateToken(), { name: `t${k}` });
        api.tokens.put(at({ ...forged, spec: { ...forged.spec, masked: maskToken(victim) } }, 100 + k));
      }
    }
    expect((await api.ask({ path: PATH, token: victim })).status).to.equal(404);
    const late = generateToken();
    for (let k = 0; k < 5; k += 1) {
      const value = k === 4 ? late : generateToken();
      const token = aToken('team-a', value, { name: `mine-${k}` });
      api.tokens.put(at({ ...token, spec: { ...token.spec, masked: maskToken(late) } }, 200 + k));
    }
    expect((await api.ask({ path: PATH, token: late })).status).to.equal(401);
  });

  it('distinguish clients behind a trusted proxy (T9)', async () => {
    await using api = await startApiServer({
      trustedProxies: ['127.0.0.0/8'],
      rateLimits: { authFailuresPerMinute: 1 },
    });
    async function from(client: string) {
      return (await api.ask({ path: PATH, token: 'x', headers: { 'x-forwarded-for': client } })).status;
    }
    expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')]).to.deep.equal([
      401, 429, 401,
    ]);
  });

  it('distinguish clients whose port a proxy reports, and count unreadable clients for the proxy (N23)', async () => {
    await using api = await startApiServer({
      trustedProxies: ['127.0.0.0/8'],
      rateLimits: { authFailuresPerMinute: 1 },
    });
    async function from(client: string) {
      return (await api.ask({ path: PATH, token: 'x', headers: { 'x-forwarded-for': client } })).status;
    }
    expect([
      await from('192.0.2.1:50123'),
      await from('192.0.2.1:50124'),
      await from('192.0.2.2:50123'),
      await from('"[2001:db8::1]:50123"'),
      await from('[2001:db8:0:1::1]:50123'),
    ]).to.deep.equal([401, 429, 401, 401, 401]);
    const metric = 'zip_api_unreadable_client_addresses_total';
    expect(await api.registry.metrics()).to.include(`${metric} 0`);
    expect([await from('unknown'), await from('_hidden'), await from('127.0.0.1:9')]).to.deep.equal([
      401, 429, 429,
    ]);
    expect(await api.registry.metrics()).to.include(`${metric} 2`);
    const lines = api.logLines.map((line) => JSON.parse(line) as { client?: string; message: string });
    expect(lines.findLast(({ message }) => message === 'request')?.client).to.equal('127.0.0.1');
  });

  it('allow all requests while the counter is unavailable', async () => {
    await using api = await startApiServer({
      rateLimits: { requestsPerMinutePerToken: 1, authFailuresPerMinute: 1 },
      count: () => Promise.resolve(undefined),
    });
    for (let n = 0; n < 3; n += 1) {
      const response = await api.ask({ path: PATH });
      expect(response.status).to.equal(404);
      expect(response.headers.has('ratelimit')).to.equal(false);
      expect((await api.ask({ path: PATH, token: 'x' })).status).to.equal(401);
    }
  });
});

import { expect } from 'chai';
import { generateToken } from '#crds/api-token.ts';
import { unreachable } from '#test/support/builders/fake-objects.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { rawHttp } from '#test/support/clients/raw-http.ts';
import {
  A_REQUEST,
  type ApiServer,
  aProject,
  aToken,
  startApiServer,
} from '#test/support/servers/api-server.ts';

const PATH = '/v1/zips/6f1c1f0e-0000-4000-8000-000000000000';

describe('createAuthentication', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer();
  });
  afterEach(async () => {
    await api[Symbol.asyncDispose]();
  });

  /** 404: the token is valid and the ID unknown. */
  async function statusWith(authorization: string): Promise<number> {
    return (await askApi(api.url, { path: PATH, headers: { authorization } })).status;
  }

  it('returns 401 without an Authorization header (T4)', async () => {
    const response = await askApi(api.url, { path: PATH });
    expect(response.status).to.equal(401);
    expect(response.headers.get('www-authenticate')).to.equal('Bearer realm="zipjobs"');
    expect(response.body.error).to.include({
      type: 'authentication_error',
      code: 'authentication_required',
      param: null,
    });
  });

  it('ignores a token in the query (T5)', async () => {
    const response = await askApi(api.url, { path: `${PATH}?access_token=${api.token}` });
    expect(response.body.error?.code).to.equal('authentication_required');
  });

  it('ignores a token in the body (T5)', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const request of [
      { body: JSON.stringify({ ...A_REQUEST, access_token: api.token }) },
      { body: `access_token=${api.token}`, headers: form },
    ]) {
      const response = await askApi(api.url, { method: 'POST', path: '/v1/zips', ...request });
      expect([response.status, response.body.error?.code]).to.deep.equal([401, 'authentication_required']);
    }
  });

  it('refuses a header longer than 1 KiB, even with a valid token (T5)', async () => {
    for (const authorization of [
      `Bearer ${'x'.repeat(1_024)}`,
      `Bearer ${api.token}${'x'.repeat(1_024)}`,
      `Bearer ${api.token},Bearer ${'x'.repeat(8_000)}`,
    ])
      expect(await statusWith(authorization), String(authorization.length)).to.equal(401);
  });

  it('ignores the case of the scheme (T5)', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect(await statusWith(`${scheme} ${api.token}`), scheme).to.equal(404);
  });

  it('returns the same response for every invalid token (T3, T4)', async () => {
    const revoked = generateToken();
    api.tokens.put(aToken('team-a', revoked, { name: 'revoked' }));
    api.tokens.remove('team-a', 'revoked');
    const elsewhere = generateToken();
    api.tokens.put(aToken('no-project', elsewhere));
    const headers = [
      '',
      'Bearer',
      `Bearer  ${api.token}`,
      `Bearer ${api.token} x`,
      `Basic ${api.token}`,
      api.token,
      'Bearer malformed',
      `Bearer ${api.token.slice(0, -1)}${api.token.endsWith('0') ? '1' : '0'}`,
      `Bearer ${generateToken()}`,
      `Bearer ${revoked}`,
      `Bearer ${elsewhere}`,
      `Bearer ${'x'.repeat(2_000)}`,
    ];
    const responses = await Promise.all(
      headers.map((authorization) => askApi(api.url, { path: PATH, headers: { authorization } })),
    );
    for (const [index, response] of responses.entries()) {
      expect(response.status, headers[index]).to.equal(401);
      expect(response.headers.get('www-authenticate')).to.equal(
        'Bearer realm="zipjobs", error="invalid_token"',
      );
      expect(response.text).to.equal(responses[0]?.text);
    }
    expect(responses[0]?.body.error).to.include({
      type: 'authentication_error',
      code: 'invalid_api_key',
      param: null,
    });
  });

  it('refuses a token once the watch reports its deletion, however recent its verification is (H11)', async () => {
    const authorization = `Bearer ${api.token}`;
    expect(await statusWith(authorization)).to.equal(404);
    const verifications = api.tokens.calls.length;
    api.tokens.remove('team-a', 'token');
    expect(await statusWith(authorization)).to.equal(401);
    expect(api.tokens.calls).to.have.length(verifications);
  });

  it('asks the API server nothing about an unknown token, whatever its state', async () => {
    api.tokens.fail(unreachable());
    api.projects.fail(unreachable());
    const calls = [api.tokens.calls.length, api.projects.calls.length];
    for (let n = 0; n < 20; n += 1) expect(await statusWith(`Bearer ${generateToken()}`)).to.equal(401);
    expect([api.tokens.calls.length, api.projects.calls.length]).to.deep.equal(calls);
  });

  it('returns 503 to an unknown token while a watch is interrupted, because the token may be new (BC15)', async () => {
    for (const watched of [api.tokens, api.projects]) {
      watched.isInterrupted = true;
      const response = await askApi(api.url, { path: PATH, token: generateToken() });
      expect([response.status, response.headers.has('retry-after')]).to.deep.equal([503, true]);
      expect(await statusWith(`Bearer ${api.token}`)).to.equal(404);
      watched.isInterrupted = false;
    }
    expect(await statusWith(`Bearer ${generateToken()}`)).to.equal(401);
  });

  it('refuses two Authorization headers (T5)', async () => {
    const header = `Authorization: Bearer ${api.token}\r\n`;
    const response = await rawHttp(api.port, [
      `GET ${PATH} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}${header}\r\n`,
    ]);
    expect(response).to.match(/^HTTP\/1.1 401 /);
    expect(response).to.include('invalid_api_key');
  });

  it('does not give access to another namespace with a copied fingerprint', async () => {
    const copied = aToken('team-a', api.token);
    api.projects.put(aProject('team-b'));
    api.tokens.put({ ...copied, metadata: { ...copied.metadata, namespace: 'team-b' } });
    api.tokens.remove('team-a', 'token');
    expect(await statusWith(`Bearer ${api.token}`)).to.equal(401);
  });

  it('refuses a deleted token on the next request (T6)', async () => {
    expect(await statusWith(`Bearer ${api.token}`)).to.equal(404);
    api.tokens.remove('team-a', 'token');
    expect(await statusWith(`Bearer ${api.token}`)).to.equal(401);
  });

  it('refuses the tokens of a project that is being deleted', async () => {
    const project = aProject('team-a');
    const metadata = { ...project.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    api.projects.put({ ...project, metadata });
    expect(await statusWith(`Bearer ${api.token}`)).to.equal(401);
  });

  it('returns 503 until the tokens are loaded', async () => {
    api.tokens.hasSynced = false;
    expect(await statusWith(`Bearer ${api.token}`)).to.equal(503);
  });

  it('records the use of a token once, not for every request', async () => {
    await Promise.all(Array.from({ length: 5 }, () => statusWith(`Bearer ${api.token}`)));
    const patches = api.tokens.calls.filter((call) => call.startsWith('patch'));
    expect(patches).to.have.length(1);
    expect(patches[0]).to.match(/^patch team-a\/token \{"status":\{"lastUsedAt":"20/);
  });

  it('counts results', async () => {
    await statusWith(`Bearer ${api.token}`);
    await statusWith('Bearer x');
    const text = await api.registry.metrics();
    expect(text).to.include('zip_api_authentications_total{outcome="accepted"} 1');
    expect(text).to.include('zip_api_authentications_total{outcome="refused"} 1');
  });
});

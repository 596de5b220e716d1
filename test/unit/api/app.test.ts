import { expect } from 'chai';
import { generateToken } from '#crds/api-token.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { rawHttp } from '#test/support/clients/raw-http.ts';
import { A_REQUEST, type ApiServer, aToken, startApiServer } from '#test/support/servers/api-server.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UNKNOWN_ID = '6f1c1f0e-0000-4000-8000-000000000000';

describe('createApp', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer({ maxBodyBytes: 64 * 1024 });
  });
  afterEach(async () => {
    await api[Symbol.asyncDispose]();
  });

  describe('order of checks', () => {
    const none = { bucket_name: 'nowhere', key: '', urls: [] };
    it('returns 401 before all other errors', async () => {
      const response = await api.ask({
        method: 'POST',
        path: '/v1/zips',
        token: 'x',
        body: '{',
        headers: { 'content-type': 'text/plain' },
      });
      expect(response.status).to.equal(401);
    });

    it('returns 403 before it reads the body', async () => {
      const token = generateToken();
      api.tokens.put(aToken('team-a', token, { name: 'reader', permissions: ['read'] }));
      const response = await api.post('{', { token, headers: { 'content-type': 'text/plain' } });
      expect(response.status).to.equal(403);
      expect(response.body.error).to.include({
        type: 'permission_error',
        code: 'insufficient_permissions',
        param: null,
      });
    });

    it('returns 415 before 400', async () => {
      expect((await api.post('{', { headers: { 'content-type': 'text/plain' } })).status).to.equal(415);
    });

    it('returns 422 before 404', async () => {
      expect((await api.post(none)).status).to.equal(422);
      expect((await api.post({ ...A_REQUEST, bucket_name: 'nowhere' })).status).to.equal(404);
    });
  });

  describe('paths and methods (T25)', () => {
    for (const path of ['/', '/v1', '/v1/zips/', '/V1/zips', '/v1/zips/a/b', '/api/v1//zips', '/v2/zips']) {
      it(`returns 404 for ${path}`, async () => {
        const response = await api.ask({ method: 'PUT', path });
        expect(response.status).to.equal(404);
        expect(response.body.error).to.include({ type: 'invalid_request_error', code: 'resource_not_found' });
      });
    }

    it('ignores an unknown Expect header', async () => {
      const head = `GET /v1/zips/${UNKNOWN_ID} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
      const response = await rawHttp(api.port, [`${head}Expect: more\r\n\r\n`]);
      expect(response).to.match(/^HTTP\/1.1 401 /);
      expect(response).to.include('"code":"authentication_required"');
    });

    it('does not resolve encoded dots', async () => {
      const response = await rawHttp(api.port, [
        'GET /%2e%2e/v1/zips HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      ]);
      expect(response).to.match(/^HTTP\/1.1 404 /);
      expect(response).to.include('"code":"resource_not_found"');
    });

    const methods = [
      ['GET', '/v1/zips', 'POST'],
      ['DELETE', '/api/v1/zips', 'POST'],
      ['OPTIONS', '/v1/zips', 'POST'],
      ['POST', `/v1/zips/${UNKNOWN_ID}`, 'HEAD, GET'],
      ['OPTIONS', `/v1/zips/${UNKNOWN_ID}`, 'HEAD, GET'],
    ] as const;
    for (const [method, path, allow] of methods) {
      it(`returns 405 for ${method} ${path}`, async () => {
        const response = await askApi(api.url, { method, path });
        expect(response.status).to.equal(405);
        expect(response.headers.get('allow')).to.equal(allow);
        expect(response.body.error).to.include({ code: 'method_not_allowed', param: null });
      });
    }

    it('returns the error envelope for a request that is not HTTP', async () => {
      const response = await rawHttp(api.port, ['NONSENSE\r\n\r\n']);
      expect(response).to.match(/^HTTP\/1.1 400 /);
      expect(response).to.include('"code":"malformed_request"');
    });

    it('returns the error envelope for headers that are too large', async () => {
      const response = await rawHttp(api.port, [
        `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      ]);
      expect(response).to.match(/^HTTP\/1.1 431 /);
    });
  });

  describe('every request', () => {
    it('keeps a valid request ID and replaces an invalid one (T15)', async () => {
      const given = await api.ask({ path: '/x', headers: { 'x-request-id': 'A.b_c-1' } });
      expect(given.headers.get('x-request-id')).to.equal('A.b_c-1');
      for (const id of ['a b', 'a'.repeat(65), 'a"b'])
        expect(
          (await api.ask({ path: '/x', headers: { 'x-request-id': id } })).headers.get('x-request-id'),
        ).to.match(UUID);
    });

    it('prevents log injection through the request ID (T15)', async () => {
      const forged = '{"level":"info","message":"forged"}';
      // A folded header, bare line breaks, and characters that log readers may treat as line breaks.
      for (const id of [
        `a\r\n ${forged}`,
        `a\n${forged}`,
        `a\r${forged}`,
        `a\x85${forged}`,
        `a%0d%0a${forged}`,
      ])
        await rawHttp(api.port, [
          `GET /x HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`,
        ]);
      await api.ask({ path: '/x', headers: { 'x-request-id': 'the-last-one' } });
      const text = api.logLines.join('');
      expect(text).to.include('"requestId":"the-last-one"').and.not.include('forged');
    });

    it('logs one line without secrets (H9)', async () => {
      await api.post(A_REQUEST, { path: '/v1/zips?access_token=QUERYSECRET' });
      const text = api.logLines.join('');
      expect(text).to.not.include('SECRET').and.not.include(api.token);
      const lines = api.logLines.filter((line) => line.includes('"message":"request"'));
      expect(lines).to.have.length(1);
      expect(JSON.parse(lines[0] ?? '')).to.include({
        method: 'POST',
        route: '/v1/zips',
        status: 201,
        project: 'team-a',
        zipToken: 'token',
      });
    });

    it('counts requests by route template', async () => {
      await api.ask({ path: `/v1/zips/${UNKNOWN_ID}` });
      await api.ask({ path: `/random/${UNKNOWN_ID}` });
      const text = await api.registry.metrics();
      expect(text).to.include('route="/v1/zips/:id",method="GET",status="4xx"');
      expect(text).to.include('route="unknown"');
      expect(text).to.not.include(UNKNOWN_ID);
    });

    it('asks clients to close the connection while it is stopping (T26)', async () => {
      expect((await api.ask({ path: '/x' })).headers.get('connection')).to.equal('keep-alive');
      api.state.stopping = true;
      expect((await api.ask({ path: '/x' })).headers.get('connection')).to.equal('close');
    });

    it('closes a connection whose headers time out (T14)', async () => {
      await using quick = await startApiServer({
        http: { headersTimeoutMs: 100, requestTimeoutMs: 200, timeoutCheckMs: 20 },
      });
      const response = await rawHttp(quick.port, ['GET / HTTP/1.1\r\nHost:']);
      expect(response).to.match(/^HTTP\/1.1 408 /);
      expect(response).to.include('"code":"request_timeout"');
    });

    it('refuses plain HTTP reported by a trusted proxy', async () => {
      await using proxied = await startApiServer({ trustedProxies: ['127.0.0.0/8'] });
      function askOver(proto: string) {
        return askApi(proxied.url, { path: '/v1/zips', headers: { 'x-forwarded-proto': proto } });
      }
      expect((await askOver('http')).body.error?.code).to.equal('https_required');
      expect((await askOver('http')).status).to.equal(400);
      expect((await askOver('https')).status).to.equal(405);
      expect((await api.ask({ path: '/v1/zips', headers: { 'x-forwarded-proto': 'http' } })).status).to.equal(
        405,
      );
    });
  });
});

/** Cases that need the whole API: parsing, hostile clients, the error envelope. */
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { rawHttp } from '#test/support/clients/raw-http.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';
import { until } from '#test/support/until.ts';
import packageJson from '../../../package.json' with { type: 'json' };

const SLOW_CLIENTS = 1_000;

describe('the API', function () {
  this.timeout(60_000);
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer({
      maxBodyBytes: 64 * 1024,
      http: { headersTimeoutMs: 1_500, requestTimeoutMs: 2_000, timeoutCheckMs: 100 },
    });
  });
  afterEach(() => api[Symbol.asyncDispose]());

  it('refuses invalid UTF-8 instead of replacing it (T17)', async () => {
    const [before = '', after = ''] = JSON.stringify({ ...A_REQUEST, key: 'X' }).split('X');
    const response = await api.post(
      Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]),
    );
    expect([response.status, response.body.error?.code]).to.deep.equal([400, 'invalid_json']);
    expect(response.body.error?.message).to.contain('UTF-8');
  });

  it('refuses a duplicate field at the top level and in an entry, but not in metadata (T19)', async () => {
    const rest = JSON.stringify(A_REQUEST).slice(1);
    const entry = '{"url":"https://a.example.com/","url":"https://b.example.com/","filename":"a"}';
    const inEntry = JSON.stringify({ ...A_REQUEST, urls: [] }).replace('[]', `[${entry}]`);
    for (const body of [`{"key":"first.zip",${rest}`, `{"k\\u0065y":"first.zip",${rest}`, inEntry]) {
      const response = await api.post(body);
      expect([response.status, response.body.error?.code], body).to.deep.equal([400, 'invalid_json']);
    }
    const metadata = '{"a":1,"a":2}';
    const kept = await api.post(`{"metadata":${metadata},${rest}`);
    expect(kept.text).to.contain(`"metadata":${metadata}`);
  });

  it('refuses an unpaired surrogate in url, filename and key, and keeps it in metadata (T22)', async () => {
    const half = '\\ud800';
    function text(change: object): string {
      return JSON.stringify({ ...A_REQUEST, ...change }).replace('HALF', half);
    }
    const [file] = A_REQUEST.urls;
    for (const [param, change] of [
      ['key', { key: 'HALF' }],
      ['urls', { urls: [{ ...file, filename: 'HALF' }] }],
      ['urls', { urls: [{ ...file, url: 'https://files.example.com/HALF' }] }],
    ] as const) {
      const response = await api.post(text(change));
      expect([response.status, response.body.error?.param]).to.deep.equal([422, param]);
    }
    const kept = await api.post(text({ metadata: { a: 'HALF' } }));
    expect(kept.text).to.contain(`{"a":"${half}"}`);
  });

  it('never uses the Host header (T24)', async () => {
    const body = JSON.stringify(A_REQUEST);
    for (const host of ['evil.example.com', 'a@b:99999', '[::1', 'x'.repeat(2_000)]) {
      const response = await rawHttp(api.port, [
        `POST /v1/zips HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${api.token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      ]);
      expect(response).to.match(/^HTTP\/1.1 201 /);
      expect(response).to.match(/\r\nLocation: \/v1\/zips\/[0-9a-f-]{36}\r\n/);
      expect(response).to.not.contain(host);
    }
  });

  it('requires a koa version without known vulnerabilities (T24)', () => {
    const [major = 0, minor = 0, patch = 0] = packageJson.dependencies.koa.split('.').map(Number);
    expect(major * 1e6 + minor * 1e3 + patch, packageJson.dependencies.koa).to.be.at.least(3_001_002);
  });

  it('serves normal clients while a thousand slow clients are connected, and disconnects the slow ones (T14)', async () => {
    const sockets: Socket[] = [];
    let closed = 0;
    for (let n = 0; n < SLOW_CLIENTS; n += 1) {
      const socket = connect(api.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nX: '));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        closed += 1;
      });
      socket.resume();
      sockets.push(socket);
    }
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('a');
    }, 200);
    try {
      for (let n = 0; n < 5; n += 1) expect((await api.post(A_REQUEST)).status).to.equal(201);
      await until('the slow clients to be disconnected', () => closed === SLOW_CLIENTS);
    } finally {
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    }
  });

  it('returns every request error in the same envelope (T9)', async () => {
    const json = { 'content-type': 'application/json' };
    const faults = {
      400: await api.post('{'),
      401: await api.ask({ path: '/v1/zips/x', token: 'x' }),
      404: await api.ask({ path: '/nowhere' }),
      405: await api.ask({ path: '/v1/zips' }),
      413: await api.post('x'.repeat(70_000)),
      415: await api.post('{}', { headers: { ...json, 'content-encoding': 'gzip' } }),
      422: await api.post({}),
    };
    for (const [status, response] of Object.entries(faults)) {
      expect(response.status).to.equal(Number(status));
      expect(response.body).to.have.all.keys('error');
      expect(response.body.error).to.have.all.keys('type', 'code', 'message', 'param');
      expect(response.headers.get('x-request-id')).to.be.a('string');
    }
    const raw = await rawHttp(api.port, [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]);
    expect(raw).to.match(/^HTTP\/1.1 431 /);
    expect(
      Object.keys((JSON.parse(raw.split('\r\n\r\n')[1] ?? '') as { error: object }).error),
    ).to.deep.equal(['type', 'code', 'message', 'param']);
  });

  it('returns internal errors and API server errors in the same envelope (T9)', async () => {
    const failures = [
      [503, new KubeError('the API server is overloaded', { attempt: 'POST /', code: 'ServerError' })],
      [500, new Error('a fault of ours')],
    ] as const;
    for (const [status, failure] of failures) {
      api.jobs.fail(failure);
      const response = await api.post(A_REQUEST);
      expect(response.status).to.equal(status);
      expect(response.body).to.have.all.keys('error');
      expect(response.body.error).to.have.all.keys('type', 'code', 'message', 'param');
      expect(response.body.error?.type).to.equal('api_error');
      expect(response.text).to.not.contain(failure.message);
      expect(response.headers.get('retry-after') !== null).to.equal(status === 503);
    }
  });
});

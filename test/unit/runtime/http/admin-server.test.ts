import { createServer } from 'node:http';
import { connect, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import { Counter, Registry } from 'prom-client';
import { ConfigError } from '#runtime/errors.ts';
import { type Check, startAdminServer } from '#runtime/http/admin-server.ts';
import { listen } from '#runtime/http/server.ts';
import { createLogger } from '#runtime/log/log.ts';
import { until } from '#test/support/until.ts';

const log = createLogger('test', { level: 'silent' });
const OK: Check = { ok: true };

async function get(port: number, path: string, method = 'GET'): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { connection: 'close' },
  });
  return [response.status, await response.text()];
}

describe('startAdminServer', () => {
  it('reports health and readiness, with the reason', async () => {
    let ready: Check = { ok: false, reason: 'zipjobs are not listed yet' };
    await using server = await startAdminServer({
      host: '127.0.0.1',
      port: 0,
      registry: new Registry(),
      healthy: () => OK,
      ready: () => ready,
      log,
    });
    expect(await get(server.port, '/healthz')).to.deep.equal([200, '{"status":"ok"}\n']);
    expect(await get(server.port, '/readyz?verbose')).to.deep.equal([
      503,
      '{"status":"failing","reason":"zipjobs are not listed yet"}\n',
    ]);
    ready = OK;
    expect((await get(server.port, '/readyz'))[0]).to.equal(200);
    expect(await get(server.port, '/readyz', 'HEAD')).to.deep.equal([200, '']);
    expect((await get(server.port, '/'))[0]).to.equal(404);
    expect((await get(server.port, '/healthz', 'POST'))[0]).to.equal(405);
  });

  it('serves the metrics of its registry', async () => {
    const registry = new Registry();
    new Counter({ name: 'things_total', help: 'Things.', registers: [registry] }).inc(3);
    await using server = await startAdminServer({
      host: '127.0.0.1',
      port: 0,
      registry,
      healthy: () => OK,
      ready: () => OK,
      log,
    });
    const [status, body] = await get(server.port, '/metrics');
    expect(status).to.equal(200);
    expect(body).to.include('things_total 3');
  });

  it('returns 500 if a check throws, and keeps running', async () => {
    await using server = await startAdminServer({
      host: '127.0.0.1',
      port: 0,
      registry: new Registry(),
      healthy: () => {
        throw new Error('broken');
      },
      ready: () => OK,
      log,
    });
    expect((await get(server.port, '/healthz'))[0]).to.equal(500);
    expect((await get(server.port, '/readyz'))[0]).to.equal(200);
  });
});

describe('listen', () => {
  it('closes keep-alive connections', async () => {
    const server = createServer((_request, response) => response.end('fine'));
    const listening = await listen(server, { host: '127.0.0.1', port: 0 });
    const socket = connect(listening.port, '127.0.0.1');
    socket.resume().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await until('the response', () => socket.bytesRead > 0);
    await listening.close();
    await closed;
  });

  it('finishes a request in progress before it closes the connection', async () => {
    const reply = Promise.withResolvers<void>();
    const server = createServer((_request, response) => {
      void reply.promise.then(() => response.end('late'));
    });
    const listening = await listen(server, { host: '127.0.0.1', port: 0 });
    let received = false;
    server.once('request', () => {
      received = true;
    });
    const call = fetch(`http://127.0.0.1:${listening.port}/`);
    await until('the request', () => received);
    const closing = listening.close(5_000);
    reply.resolve();
    expect(await (await call).text()).to.equal('late');
    await closing;
  });

  it('closes connections that exceed the drain timeout', async () => {
    const server = createServer(() => undefined);
    const listening = await listen(server, { host: '127.0.0.1', port: 0 });
    let received = false;
    server.once('request', () => {
      received = true;
    });
    const outcome = fetch(`http://127.0.0.1:${listening.port}/`).catch((error: unknown) => error);
    await until('the request', () => received);
    await listening.close(20);
    expect(await outcome).to.be.instanceOf(TypeError);
  });

  it('listens on all addresses of both families without a host, also on loopback (X1)', async () => {
    const server = createServer((_request, response) => response.end('fine'));
    await using listening = await listen(server, { host: '', port: 0 });
    const loopback = (networkInterfaces()['lo'] ?? []).map(({ address }) => address);
    expect(loopback).to.include('127.0.0.1');
    for (const address of loopback) {
      const host = isIPv6(address) ? `[${address}]` : address;
      const response = await fetch(`http://${host}:${listening.port}/`, { headers: { connection: 'close' } });
      expect(await response.text(), host).to.equal('fine');
    }
  });

  it('fails if the address is in use', async () => {
    await using first = await listen(createServer(), { host: '127.0.0.1', port: 0 });
    const error = await listen(createServer(), { host: '127.0.0.1', port: first.port }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(ConfigError);
  });
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import {
  type Exchange,
  type FaultAction,
  type FaultProxy,
  startFaultProxy,
} from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

const EVENT = '{"type":"BOOKMARK","object":{}}\n';

describe('startFaultProxy', () => {
  let served: string[];
  let exchanges: Exchange[];
  let action: FaultAction | undefined;
  let stack: AsyncDisposableStack;
  let proxy: FaultProxy;
  let lastRequest: ProxiedRequest | undefined;

  beforeEach(async () => {
    served = [];
    exchanges = [];
    action = undefined;
    lastRequest = undefined;
    stack = new AsyncDisposableStack();
    const server = createServer((request, response) => {
      served.push(`${request.method} ${request.url}`);
      if (request.url?.includes('watch=true') === true) response.write(EVENT);
      else response.writeHead(201, { 'x-from': 'server' }).end('done');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stack.defer(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    proxy = stack.use(
      await startFaultProxy({
        upstream: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        judge: (request) => {
          lastRequest = request;
          return action;
        },
        record: (exchange) => exchanges.push(exchange),
      }),
    );
  });
  afterEach(() => stack.disposeAsync());

  function post(): Promise<Response> {
    return fetch(`${proxy.url}/a?b=c`, { method: 'POST', body: 'text' });
  }
  async function failed(): Promise<boolean> {
    return post().then(
      () => false,
      () => true,
    );
  }

  it('forwards a request and records it', async () => {
    const reply = await post();
    expect(reply.status).to.equal(201);
    expect(reply.headers.get('x-from')).to.equal('server');
    expect(await reply.text()).to.equal('done');
    expect(served).to.deep.equal(['POST /a?b=c']);
    expect(exchanges[0]).to.deep.include({ status: 201, notes: {} });
    expect(exchanges[0]?.request).to.include({ method: 'POST', path: '/a?b=c' });
    expect(lastRequest?.body.toString()).to.equal('text');
  });

  it('responds instead of the server', async () => {
    action = { kind: 'response', status: 429, retryAfterSeconds: 1 };
    const reply = await post();
    expect(reply.status).to.equal(429);
    expect(reply.headers.get('retry-after')).to.equal('1');
    expect(await reply.json()).to.include({ kind: 'Status', reason: 'TooManyRequests', code: 429 });
    expect(served).to.deep.equal([]);
    expect(exchanges[0]).to.not.have.property('status');
  });

  it('drops the response after the server has processed the request', async () => {
    action = { kind: 'drop' };
    expect(await failed()).to.equal(true);
    expect(served).to.deep.equal(['POST /a?b=c']);
    expect(exchanges[0]).to.include({ status: 201, fault: 'drop' });
  });

  it('kills the client after the server has processed the request', async () => {
    const killed: string[] = [];
    action = { kind: 'kill', kill: () => killed.push(...served) };
    expect(await failed()).to.equal(true);
    expect(killed).to.deep.equal(['POST /a?b=c']);
  });

  it('holds a request, and executes and records it after its client has disconnected', async () => {
    const released = Promise.withResolvers<void>();
    action = { kind: 'hold', until: released.promise };
    const client = new AbortController();
    const asked = fetch(proxy.url, { method: 'POST', body: 'text', signal: client.signal });
    await until('the request to be held', () => lastRequest !== undefined);
    client.abort();
    expect(await asked.catch(() => 'aborted')).to.equal('aborted');
    expect(served).to.deep.equal([]);
    released.resolve();
    await until('the request to be recorded', () => exchanges.length > 0);
    expect(served).to.deep.equal(['POST /']);
    expect(exchanges[0]).to.include({ status: 201, fault: 'hold' });
  });

  it('ends although clients keep their connections: silent, idle, or waiting for a response', async () => {
    const { port } = new URL(proxy.url);
    const clients = ['', 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'].map((text) => {
      const client = connect(Number(port), '127.0.0.1', () => client.write(text));
      client.on('error', () => undefined).resume();
      return client;
    });
    await until('a response', () => exchanges.length > 0);
    action = { kind: 'hold', until: new Promise(() => undefined) };
    const asked = post().catch(() => 'lost');
    await until('the request to be held', () => lastRequest?.method === 'POST');
    await stack.disposeAsync();
    expect(await asked).to.equal('lost');
    await until('the connections to end', () => clients.every(({ destroyed }) => destroyed));
  });

  it('refuses a request before the server receives it', async () => {
    action = { kind: 'refuse' };
    expect(await failed()).to.equal(true);
    expect(served).to.deep.equal([]);
  });

  it('reads the sender of a request from its token', async () => {
    const claims = {
      'kubernetes.io': { namespace: 'n', pod: { name: 'p', uid: 'u' }, serviceaccount: { name: 's' } },
    };
    const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
    await fetch(`${proxy.url}/`, { headers: { authorization: `Bearer ${token}` } });
    expect(lastRequest?.actor).to.deep.equal({
      namespace: 'n',
      serviceAccount: 's',
      podName: 'p',
      podUid: 'u',
    });
  });

  it('cuts an open watch', async () => {
    const reply = await fetch(`${proxy.url}/pods?watch=true`);
    const [stream] = proxy.streams;
    const reader = reply.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? '').toString()).to.equal(EVENT);
    stream?.cut();
    expect(await reader?.read().catch(() => 'broken')).to.equal('broken');
    await until('the watch to be removed', () => proxy.streams.length === 0);
  });
});

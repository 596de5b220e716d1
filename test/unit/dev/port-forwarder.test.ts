import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Forwarder, startForwarder } from '#test/dev/port-forwarder.ts';

const HOST = '127.0.0.1';

describe('startForwarder', () => {
  let stack: AsyncDisposableStack;

  async function serve(text: string): Promise<Server> {
    const server = createServer((_request, response) => response.end(text));
    server.listen(0, HOST);
    await once(server, 'listening');
    stack.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    return server;
  }
  function portOf(server: Server): number {
    return (server.address() as AddressInfo).port;
  }
  async function forward(port: number, target: () => Promise<{ host: string; port: number }>) {
    return stack.use(await startForwarder({ port, target }));
  }
  async function get({ url }: Forwarder): Promise<string> {
    const response = await fetch(url, { headers: { connection: 'close' } });
    return `${response.status} ${(await response.text()).trim()}`;
  }

  beforeEach(() => {
    stack = new AsyncDisposableStack();
  });
  afterEach(() => stack.disposeAsync());

  it('forwards each connection to the current target', async () => {
    const [first, second] = [await serve('first'), await serve('second')];
    let target = first;
    const forwarder = await forward(0, async () => ({ host: HOST, port: portOf(target) }));
    expect(await get(forwarder)).to.equal('200 first');
    target = second;
    expect(await get(forwarder)).to.equal('200 second');
  });

  it('listens on another port when the port is in use', async () => {
    const server = await serve('served');
    const port = portOf(server);
    const forwarder = await forward(port, async () => ({ host: HOST, port }));
    expect(forwarder.url).not.to.equal(`http://${HOST}:${port}`);
    expect(await get(forwarder)).to.equal('200 served');
  });

  it('responds with 503 and the remedy while there is no target or it refuses connections', async () => {
    const missing = await forward(0, () => Promise.reject(new Error('no pod')));
    expect(await get(missing)).to.equal(
      '503 No pod is ready. See the output of the command that started the cluster.',
    );
    const closed = await forward(0, async () => ({ host: HOST, port: 1 }));
    expect(await get(closed)).to.match(/^503 /);
  });

  it('closes open connections when it is disposed of', async () => {
    const server = createServer(() => undefined);
    server.listen(0, HOST);
    await once(server, 'listening');
    stack.defer(() => void server.close());
    const forwarder = await startForwarder({
      port: 0,
      target: async () => ({ host: HOST, port: portOf(server) }),
    });
    const received = once(server, 'request');
    const response = fetch(forwarder.url).catch((error: unknown) => error);
    await received;
    await forwarder[Symbol.asyncDispose]();
    expect(await response).to.be.instanceOf(Error);
  });
});

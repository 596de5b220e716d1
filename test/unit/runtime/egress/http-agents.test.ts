import { once } from 'node:events';
import { get, request as httpRequest, type RequestOptions } from 'node:http';
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { createEgressPolicy, type EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { createGuardedHttpAgents, type HttpAgents } from '#runtime/egress/http-agents.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';

const closed = createEgressPolicy({ allowCidrs: [], denyCidrs: [] });
const onlyLoopback = createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [] });

/** The error code of the request, or the status of its response. */
function ask(agents: HttpAgents, options: RequestOptions): Promise<string | number | undefined> {
  return new Promise((resolve) => {
    const request = get({ ...options, agent: agents.httpAgent, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', (error) => {
      resolve('code' in error && typeof error.code === 'string' ? error.code : error.name);
    });
  });
}

describe('createGuardedHttpAgents', () => {
  let server: Server;
  let port: number;
  let connections: number;

  beforeEach(async () => {
    connections = 0;
    server = createServer((socket) => {
      connections += 1;
      socket.resume();
      socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  for (const host of [
    '127.0.0.1',
    'localhost',
    '127.0.0.2',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '2130706433',
    '0x7f.1',
    '169.254.169.254',
    '10.0.0.1',
    '[::1]',
    '[fd00::1]',
  ])
    it(`does not connect to ${host} (S9, H1)`, async () => {
      const agents = createGuardedHttpAgents(createEgressPolicy({ allowCidrs: [], denyCidrs: [] }), {
        connections: 1,
      });
      const plain = host.replace(/^\[|\]$/g, '');
      // The second request waits for the connection of the first: it must be refused as well.
      const outcomes = await Promise.all([1, 2].map(() => ask(agents, { host: plain, port })));
      agents.destroy();
      for (const outcome of outcomes)
        expect(outcome).to.be.oneOf(['EgressRefused', 'ERR_IP_BLOCKED', 'ENOTFOUND']);
      expect(connections).to.equal(0);
    });

  it('connects to a range that the operator allowed (S9)', async () => {
    const agents = createGuardedHttpAgents(
      createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], denyCidrs: [] }),
      { connections: 1 },
    );
    expect(await ask(agents, { host: '127.0.0.1', port })).to.equal(204);
    agents.destroy();
    expect(connections).to.equal(1);
  });

  function send(port: number, host: string, policy: EgressPolicy): Promise<number | Error> {
    const agents = createGuardedHttpAgents(policy, { connections: 1 });
    const done = Promise.withResolvers<number | Error>();
    httpRequest({ host, port, path: '/gen/1/1', agent: agents.httpAgent })
      .on('response', (response) => {
        response.resume().on('end', () => done.resolve(response.statusCode ?? 0));
      })
      .on('error', (error) => done.resolve(error))
      .end();
    return done.promise.finally(() => agents.destroy());
  }

  it('fails the request without a connection for a host in a blocked range (S9)', async () => {
    const origin = await startFileOrigin();
    for (const host of ['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost', '0.0.0.0'])
      expect(await send(origin.port, host, closed), host).to.be.instanceOf(EgressRefusedError);
    expect(origin.connections).to.equal(0);
    expect(await send(origin.port, '127.0.0.1', onlyLoopback)).to.equal(200);
    await origin[Symbol.asyncDispose]();
  });

  it('fails each request that waits for a connection (S23)', async () => {
    const agents = createGuardedHttpAgents(closed, { connections: 1 });
    const errors = await Promise.all(
      Array.from({ length: 3 }, () => {
        const done = Promise.withResolvers<Error>();
        httpRequest({ host: '127.0.0.1', port: 9, agent: agents.httpAgent }).on('error', done.resolve).end();
        return done.promise;
      }),
    );
    agents.destroy();
    for (const error of errors) expect(error).to.be.instanceOf(EgressRefusedError);
  });
});

import { once } from 'node:events';
import { get, type RequestOptions } from 'node:http';
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedHttpAgents, type HttpAgents } from '#runtime/egress/http-agents.ts';

/** The error code of the request, or the status of its response. */
const ask = (agents: HttpAgents, options: RequestOptions): Promise<string | number | undefined> =>
  new Promise((resolve) => {
    const request = get({ ...options, agent: agents.httpAgent, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', (error) => {
      resolve('code' in error && typeof error.code === 'string' ? error.code : error.name);
    });
  });

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
});

/** Hosts with several addresses, of which some are down. */
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import type { ResolveAll } from '#runtime/egress/dns-resolver.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { createGuardedHttpAgents, createHttpAgents, type HttpAgents } from '#runtime/egress/http-agents.ts';
import { type OpenSocketOptions, openSocket, UnconnectedError } from '#runtime/egress/open-socket.ts';
import { createProxy, type Proxy } from '#runtime/egress/proxy/proxy.ts';
import { openTunnel } from '#runtime/egress/proxy/tunnel.ts';
import { errorCode } from '#runtime/errors.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';
import { type DeafServer, startDeafServer } from '#test/support/servers/deaf-server.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { askAgent } from './ask-agent.ts';

const LIVE = '127.0.0.1';
/** Their SYNs get no response. */
const DEAF = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;
const REFUSING = '127.0.0.9';
const UNREACHABLE = 'ff0e::1';
const HOST = 'files.test.example';
/** Longer than any test: an address that uses its share makes the test time out. */
const LONG_MS = 600_000;

function lookupAddress(address: string): LookupAddress {
  return {
    address,
    family: address.includes(':') ? 6 : 4,
  };
}

describe('openSocket', () => {
  let live: Server;
  let deaf: DeafServer;
  let port: number;
  before(async () => {
    live = createServer((socket) => socket.on('error', () => undefined).end()).listen(0, LIVE);
    await once(live, 'listening');
    const address = live.address();
    port = typeof address === 'object' && address ? address.port : 0;
    deaf = await startDeafServer(DEAF, port);
  });
  after(async () => {
    await deaf[Symbol.asyncDispose]();
    live.close();
    await once(live, 'close');
  });

  /** The address that accepted the connection, or the error. */
  async function open(
    addresses: readonly string[],
    limits: Partial<OpenSocketOptions> = {},
  ): Promise<string | Error | undefined> {
    function resolve() {
      return Promise.resolve(addresses.map(lookupAddress));
    }
    try {
      const socket = await openSocket({ host: HOST, port }, { resolve, timeoutMs: LONG_MS, ...limits });
      const { remoteAddress } = socket;
      socket.destroy();
      return remoteAddress;
    } catch (error) {
      return error instanceof Error ? error : new Error('no error was thrown');
    }
  }

  for (const [what, first] of [
    ['refuses the connection', REFUSING],
    ['has no route', UNREACHABLE],
  ] as const)
    it(`uses the next address at once if the first ${what} (FD5)`, async () => {
      expect(await open([first, LIVE])).to.equal(LIVE);
    });

  for (const [count, addresses] of [
    [2, [DEAF[0], LIVE]],
    [4, [...DEAF, LIVE]],
  ] as const)
    it(`reaches the last of ${count} addresses if the others are down (FD5)`, async () => {
      expect(await open(addresses, { timeoutMs: 200 * count, leastShareMs: 10 })).to.equal(LIVE);
    });

  it('says why each address failed, and not which addresses they are (FD5)', async () => {
    const error = await open([DEAF[0], UNREACHABLE, REFUSING], { timeoutMs: 200, leastShareMs: 10 });
    expect(error).to.be.instanceOf(UnconnectedError);
    expect(String(error))
      .to.match(/Could not connect to files\.test\.example:\d+: IPv4 timeout, IPv6 E\w+, IPv4 ECONNREFUSED$/)
      .and.not.match(/127\.0|ff0e/);
    expect(errorCode(error)).to.equal('ECONNREFUSED');
  });

  it('ends at its limit if the addresses need more, and says how many it did not try (FD5)', async () => {
    const error = await open([...DEAF, LIVE], { timeoutMs: 150, leastShareMs: 100 });
    expect(String(error)).to.match(
      /: IPv4 timeout, IPv4 timeout; no time was left for 2 more of its addresses$/,
    );
    expect(errorCode(error)).to.equal('UND_ERR_CONNECT_TIMEOUT');
  });

  it('names the only address of a host in the same way (FD5)', async () => {
    expect(String(await open([REFUSING]))).to.match(/: IPv4 ECONNREFUSED$/);
    expect(String(await open([DEAF[0]], { timeoutMs: 20 }))).to.match(/: IPv4 timeout$/);
  });

  it('tries sixteen addresses of a name with thousands, and gives eight reasons (FD5)', async () => {
    const many = Array.from({ length: 4000 }, (_, n) => `127.1.${n >> 8}.${n & 255}`);
    expect(await open([...many.slice(0, 15), LIVE, ...many.slice(15)])).to.equal(LIVE);
    const error = await open([...many.slice(0, 16), LIVE, ...many.slice(16)]);
    const reasons = Array.from({ length: 8 }, () => 'IPv4 ECONNREFUSED').join(', ');
    expect(String(error).split(/:\d+: /)[1]).to.equal(
      `${reasons}, and 8 more; only 16 of its 4001 addresses are tried`,
    );
  });

  it('tries addresses of both families if one of them has many (FD5)', async () => {
    const many = Array.from({ length: 100 }, (_, n) => `ff0e::${n}`);
    expect(await open([...many, LIVE])).to.equal(LIVE);
  });
});

/** Asks for a path, and returns the status of the response or the error. */
type Ask = (url: string) => Promise<number | Error | undefined>;

const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], denyCidrs: [] });

function askByNode({ httpAgent }: HttpAgents): Ask {
  return (url) =>
    new Promise((resolve) => {
      httpGet(url, { agent: httpAgent }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', resolve);
    });
}

function proxyAt(url: string): Proxy {
  const values = { url, noProxy: [], username: '', password: '', directHosts: [] };
  const proxy = createProxy('sources', values, 'SOURCE_NO_PROXY');
  if (!proxy) throw new Error('the proxy has no URL');
  return proxy;
}

const KINDS: Readonly<Record<string, (lookup: ResolveAll, stack: AsyncDisposableStack) => Ask>> = {
  'the guarded agent': (lookup, stack) => {
    const agent = createGuardedAgent(policy, { connections: 1, lookup });
    stack.defer(() => agent.destroy());
    return (url) => askAgent(agent, url);
  },
  'the guarded agents of node:http': (lookup, stack) => {
    const agents = createGuardedHttpAgents(policy, { connections: 1, lookup });
    stack.defer(() => agents.destroy());
    return askByNode(agents);
  },
  'the agents of node:http': (lookup, stack) => {
    const agents = createHttpAgents({ connections: 1, lookup });
    stack.defer(() => agents.destroy());
    return askByNode(agents);
  },
};

describe('a host whose first address lost a SYN and whose second is down', () => {
  it(`is reached by ${Object.keys(KINDS).join(', ')}, and as a proxy (FD5)`, async () => {
    await using stack = new AsyncDisposableStack();
    await using origin = await startFileOrigin();
    const [slow] = DEAF;
    const deaf = stack.use(await startDeafServer([slow], origin.port));
    const lookup: ResolveAll = () => Promise.resolve([slow, REFUSING].map(lookupAddress));
    const url = `http://${HOST}:${origin.port}/`;
    const responses = Object.values(KINDS).map((start) => start(lookup, stack)(url));
    const target = { host: 'other.test.example', port: 443 };
    const options = { trust: BUILT_IN_TRUST, timeoutMs: 10_000, lookup };
    const tunnel = openTunnel(proxyAt(url), target, options).then((socket) => {
      socket.destroy();
      return 'a tunnel';
    });
    // Longer than Node waits by default for each address but the last.
    setTimeout(() => deaf.hear(), 300);
    expect(await Promise.all([...responses, tunnel])).to.deep.equal([204, 204, 204, 'a tunnel']);
  });
});

describe('a host that accepts connections and does not continue the TLS handshake', () => {
  it('is given up by the guarded agent at the limit of the connection (FD5)', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, LIVE);
    await once(silent, 'listening');
    const agent = createGuardedAgent(policy, { connections: 1, connectTimeoutMs: 50 });
    try {
      const address = silent.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const error: unknown = await agent
        .request({ origin: `https://${LIVE}:${port}`, path: '/', method: 'GET' })
        .catch((thrown: unknown) => thrown);
      expect(errorCode(error)).to.equal('UND_ERR_CONNECT_TIMEOUT');
      expect(String(error)).to.match(/no TLS handshake within 50 ms/);
    } finally {
      await agent.destroy();
      silent.close();
    }
  });
});

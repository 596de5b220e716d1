/** Agents behind a real proxy, with real origins. The proxy resolves the names, which exist nowhere else. */
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { expect } from 'chai';
import { request } from 'undici';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { createGuardedHttpAgents, createHttpAgents, type HttpAgents } from '#runtime/egress/http-agents.ts';
import { createProxy, type Proxy } from '#runtime/egress/proxy/proxy.ts';
import { errorCode } from '#runtime/errors.ts';
import { parseCertificates } from '#runtime/tls/certificates.ts';
import { BUILT_IN_TRUST, fixedTrust, type Trust } from '#runtime/tls/trust.ts';
import {
  type ConnectProxy,
  type ConnectProxyOptions,
  startConnectProxy,
} from '#test/support/servers/connect-proxy.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { certificateText, startTlsFront, type TlsFront } from '#test/support/servers/tls-front.ts';

const policy = createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [] });
const trust = fixedTrust(parseCertificates(certificateText('private-ca.pem'), 'private-ca.pem'));

interface Values {
  readonly noProxy?: readonly string[];
  readonly username?: string;
  readonly password?: string;
}

function proxyAt(
  url: string,
  { noProxy = [], username = '', password = '' }: Values = {},
): Proxy | undefined {
  return createProxy('sources', { url, noProxy, username, password, directHosts: [] }, 'SOURCE_NO_PROXY');
}

type Ask = (url: string) => Promise<number | string>;

interface Options {
  readonly timeoutMs?: number;
  readonly trust?: Trust;
}

function agentOptions(proxy: Proxy | undefined, { timeoutMs = 10_000, trust: own = trust }: Options = {}) {
  return {
    connections: 2,
    trust: own,
    proxy,
    connectTimeoutMs: timeoutMs,
  };
}

/** Uses an agent behind this proxy. */
type UseAgent = (
  proxy: Proxy | undefined,
  use: (ask: Ask) => Promise<void>,
  options?: Options,
) => Promise<void>;

const byUndici: UseAgent = async (proxy, use, options) => {
  const agent = createGuardedAgent(policy, agentOptions(proxy, options));
  const ask: Ask = async (url) => {
    try {
      const { statusCode, body } = await request(url, { dispatcher: agent });
      await body.dump();
      return statusCode;
    } catch (error) {
      return errorCode(error) ?? String(error);
    }
  };
  try {
    await use(ask);
  } finally {
    await agent.destroy();
  }
};

async function byNode(agents: HttpAgents, use: (ask: Ask) => Promise<void>): Promise<void> {
  const ask: Ask = (url) => {
    const { promise, resolve } = Promise.withResolvers<number | string>();
    const sent = url.startsWith('https:')
      ? httpsGet(url, { agent: agents.httpsAgent })
      : httpGet(url, { agent: agents.httpAgent });
    sent.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', (error) => resolve(errorCode(error) ?? String(error)));
    return promise;
  };
  await use(ask).finally(() => agents.destroy());
}

const KINDS: Readonly<Record<string, UseAgent>> = {
  'the guarded agent': byUndici,
  'guarded agents of node:http': (proxy, use, options) =>
    byNode(createGuardedHttpAgents(policy, agentOptions(proxy, options)), use),
  'agents of node:http': (proxy, use, options) => byNode(createHttpAgents(agentOptions(proxy, options)), use),
};

for (const [kind, withAgent] of Object.entries(KINDS))
  describe(`${kind} behind a proxy`, () => {
    const started = new AsyncDisposableStack();
    let origin: FileOrigin;
    let tls: TlsFront;
    before(async () => {
      origin = started.use(await startFileOrigin());
      tls = started.use(await startTlsFront(origin.origin));
    });
    after(() => started.disposeAsync());

    async function withProxy(
      options: ConnectProxyOptions,
      values: Values,
      use: (ask: Ask, proxy: ConnectProxy) => Promise<void>,
    ): Promise<void> {
      await using proxy = await startConnectProxy(options);
      await withAgent(proxyAt(proxy.url, values), (ask) => use(ask, proxy));
    }
    function httpsUrl(host = 'files.test.example'): string {
      return `https://${host}:${tls.port}/gen/10/1`;
    }
    function httpUrl(host = 'files.test.example'): string {
      return `http://${host}:${origin.port}/gen/10/1`;
    }

    it('tunnels https and http, and leaves names to the proxy (X23)', async () => {
      await withProxy({}, {}, async (ask, proxy) => {
        expect(await ask(httpsUrl())).to.equal(200);
        expect(await ask(httpUrl())).to.equal(200);
        expect(proxy.targets).to.deep.equal([
          `files.test.example:${tls.port}`,
          `files.test.example:${origin.port}`,
        ]);
        expect(proxy.others).to.deep.equal([]);
      });
    });

    it('reuses its tunnels (X23)', async () => {
      await withProxy({}, {}, async (ask, proxy) => {
        for (let sent = 0; sent < 6; sent += 1) expect(await ask(httpsUrl())).to.equal(200);
        expect(proxy.targets.length).to.be.within(1, 2);
      });
    });

    it('tunnels through a proxy with TLS, whose authority is in the bundle (X23)', async () => {
      await using proxy = await startConnectProxy();
      await using front = await startTlsFront(proxy.url);
      await withAgent(proxyAt(front.url), async (ask) => {
        expect(await ask(httpsUrl())).to.equal(200);
        expect(await ask(httpUrl())).to.equal(200);
      });
      expect(proxy.targets).to.have.length(2);
      await using untrusted = await startTlsFront(proxy.url, 'loopback.pem');
      await withAgent(proxyAt(untrusted.url), async (ask) => {
        expect(await ask(httpsUrl())).to.equal('ProxyUnavailable');
      });
    });

    it('checks a proxy with TLS by its own name, never by that of the target (X23)', async () => {
      await using proxy = await startConnectProxy();
      // Valid for the host that a caller chose, but not for 127.0.0.1.
      await using impostor = await startTlsFront(proxy.url, 'trusted.pem');
      // Valid for 127.0.0.1, but not for the target.
      await using honest = await startTlsFront(proxy.url, 'loopback.pem');
      for (const [front, expected] of [
        [impostor, 'ProxyUnavailable'],
        [honest, 200],
      ] as const) {
        const own = fixedTrust(parseCertificates(front.authority, 'authority'));
        async function asked(ask: Ask): Promise<void> {
          expect(await ask(httpUrl())).to.equal(expected);
        }
        await withAgent(proxyAt(front.url), asked, { trust: own });
      }
      expect(proxy.targets).to.have.length(1);
    });

    it('checks the certificate of the host behind the tunnel (X23)', async () => {
      await withProxy({}, {}, async (ask) => {
        expect(await ask(httpsUrl('files.other.example'))).to.equal('ERR_TLS_CERT_ALTNAME_INVALID');
      });
    });

    it('sends credentials to the proxy only, and reports 407 and 403 (X23)', async () => {
      const options: ConnectProxyOptions = {
        credentials: 'zip:p%ss:word',
        refuse: (target) => (target.startsWith('closed.') ? 403 : undefined),
      };
      await withProxy(options, { username: 'zip', password: 'p%ss:word' }, async (ask) => {
        expect(await ask(httpsUrl())).to.equal(200);
        expect(await ask(httpsUrl('closed.test.example'))).to.equal('ProxyForbidden');
      });
      for (const { headers } of origin.requests) expect(headers).not.to.have.property('proxy-authorization');
      await withProxy(options, { username: 'zip', password: 'wrong' }, async (ask) => {
        expect(await ask(httpsUrl())).to.equal('ProxyAuthenticationRequired');
        expect(await ask(httpUrl())).to.equal('ProxyAuthenticationRequired');
      });
    });

    it('reports a proxy that fails, is away or does not respond (X23)', async () => {
      await withProxy({ refuse: () => 502 }, {}, async (ask) => {
        expect(await ask(httpsUrl())).to.equal('ProxyUnavailable');
      });
      await using silent = await startConnectProxy({ refuse: () => 'never' });
      async function isUnavailable(ask: Ask): Promise<void> {
        expect(await ask(httpsUrl())).to.equal('ProxyUnavailable');
      }
      await withAgent(proxyAt(silent.url), isUnavailable, { timeoutMs: 500 });
      await withAgent(proxyAt('http://127.0.0.1:1'), isUnavailable);
    });

    it('connects directly to exceptions and to this machine (X23)', async () => {
      await withProxy({}, {}, async (ask, proxy) => {
        expect(await ask(tls.url)).to.equal(404);
        expect(await ask(origin.url('/gen/10/1'))).to.equal(200);
        expect(proxy.targets).to.deep.equal([]);
      });
    });
  });

describe('the guard behind a proxy', () => {
  it('refuses private addresses and inner names in URLs without asking the proxy (X23)', async () => {
    await using proxy = await startConnectProxy();
    const own = proxyAt(proxy.url);
    const agents = createGuardedHttpAgents(policy, { connections: 2, proxy: own });
    const hosts = [
      '10.0.0.1',
      '192.168.1.1',
      '[fd12::1]',
      '169.254.169.254',
      'redis',
      'db.internal',
      'a.default.svc',
    ];
    async function refusedBy(ask: Ask): Promise<void> {
      for (const host of hosts) expect(await ask(`http://${host}:8080/`), host).to.equal('EgressRefused');
    }
    await byUndici(own, refusedBy);
    await byNode(agents, refusedBy);
    expect(proxy.targets).to.deep.equal([]);
  });
});

describe('the authorities of a proxy with TLS', () => {
  it("are not those of a bucket's store (X22)", async () => {
    await using proxy = await startConnectProxy();
    await using front = await startTlsFront(proxy.url);
    await using origin = await startFileOrigin();
    const agents = createHttpAgents({
      connections: 1,
      trust,
      proxyTrust: BUILT_IN_TRUST,
      proxy: proxyAt(front.url),
    });
    await byNode(agents, async (ask) => {
      expect(await ask(`http://store.test.example:${origin.port}/gen/10/1`)).to.equal('ProxyUnavailable');
    });
    expect(proxy.targets).to.deep.equal([]);
  });
});

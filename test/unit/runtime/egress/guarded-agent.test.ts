import type { LookupAddress } from 'node:dns';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect } from 'chai';
import type { Agent } from 'undici';
import type { ResolveAll } from '#runtime/egress/dns-resolver.ts';
import { createEgressPolicy, type EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { createGuardedAgent, type GuardedAgentOptions } from '#runtime/egress/guarded-agent.ts';
import { errorCode } from '#runtime/errors.ts';
import { ownAddress } from '#test/support/own-address.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { askAgent } from './ask-agent.ts';

const closed = createEgressPolicy({ allowCidrs: [], denyCidrs: [] });
const onlyLoopback = createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [] });

function responses(...addresses: readonly string[]): LookupAddress[] {
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

/** A resolver that returns these responses in order, repeats the last one, and records the names. */
function scripted(...script: readonly LookupAddress[][]) {
  const names: string[] = [];
  const resolve: ResolveAll = (name) => {
    names.push(name);
    return Promise.resolve(script[Math.min(names.length, script.length) - 1] ?? []);
  };
  return { names, resolve };
}

async function withAgent<T>(
  policy: EgressPolicy,
  options: Partial<GuardedAgentOptions>,
  use: (agent: Agent) => Promise<T>,
): Promise<T> {
  const agent = createGuardedAgent(policy, { connections: 4, ...options });
  try {
    return await use(agent);
  } finally {
    await agent.destroy();
  }
}

describe('createGuardedAgent', () => {
  let origin: FileOrigin;
  before(async () => {
    origin = await startFileOrigin();
  });
  after(() => origin[Symbol.asyncDispose]());

  /** Asserts that a blocking policy refuses the host and makes no connection. */
  async function refuses(host: string, options: Partial<GuardedAgentOptions> = {}): Promise<void> {
    const before = origin.connections;
    const result = await withAgent(closed, options, (agent) =>
      askAgent(agent, `http://${host}:${origin.port}/gen/1/1`),
    );
    expect(result, host).to.be.instanceOf(EgressRefusedError);
    expect(origin.connections, host).to.equal(before);
  }

  it('does not connect to an IP literal in a blocked range although the network allows it (S2, H1, P11)', async () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
    ])
      await refuses(host);
  });

  it('does not connect to a local name, whatever the resolver returns (S8)', async () => {
    const { resolve, names } = scripted(responses('93.184.216.34'));
    for (const host of ['localhost', 'a.localhost', 'intranet', 'x.svc', 'x.internal'])
      await refuses(host, { lookup: resolve });
    expect(names).to.deep.equal([]);
  });

  it('refuses a name if any of its addresses is refused (S41)', async () => {
    const fifty = [...Array.from({ length: 49 }, (_, index) => `93.184.216.${index}`), '127.0.0.1'];
    for (const list of [
      ['127.0.0.1'],
      ['::1'],
      ['::ffff:127.0.0.1'],
      ['93.184.216.34', '::1'],
      ['93.184.216.34', '10.0.0.1'],
      fifty,
    ])
      await refuses('files.test.example', { lookup: scripted(responses(...list)).resolve });
  });

  it('refuses mixed addresses instead of choosing an allowed one (S5)', async () => {
    for (const list of [
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
    ]) {
      const before = origin.connections;
      const result = await withAgent(
        onlyLoopback,
        { lookup: scripted(responses(...list)).resolve },
        (agent) => askAgent(agent, `http://files.test.example:${origin.port}/gen/1/1`),
      );
      expect(result).to.be.instanceOf(EgressRefusedError);
      expect(origin.connections).to.equal(before);
    }
  });

  it('never connects to the API server, by its address or by any name for it (N11)', async function () {
    const own = ownAddress();
    if (own === undefined) this.skip();
    await using server = await startFileOrigin({ host: own });
    const lookup = scripted(responses(own)).resolve;
    const urls = [own, 'files.test.example'].map((host) => `http://${host}:${server.port}/gen/1/1`);
    const allowCidrs = [own];
    function connect(apiServerAddresses: readonly string[]) {
      return withAgent(
        createEgressPolicy({ allowCidrs, denyCidrs: [], apiServerAddresses }),
        { lookup },
        (agent) => Promise.all(urls.map((url) => askAgent(agent, url))),
      );
    }
    for (const error of await connect([own]))
      expect(error).to.be.instanceOf(EgressRefusedError).with.property('reason', 'api-server');
    expect(server.connections).to.equal(0);
    expect(await connect([])).to.deep.equal([200, 200]);
  });

  it('resolves absolute names and connects to the resolved address (S8)', async () => {
    const { resolve, names } = scripted(responses('127.0.0.1'));
    const status = await withAgent(onlyLoopback, { lookup: resolve }, (agent) =>
      askAgent(agent, `http://files.test.example:${origin.port}/gen/1/1`),
    );
    expect(status).to.equal(200);
    expect(names).to.deep.equal(['files.test.example.']);
  });

  it('requests all addresses in the form that Node expects (S4)', async () => {
    const seen: unknown[] = [];
    const resolve: ResolveAll = (_name, { family }) => {
      seen.push(family);
      return Promise.resolve(responses('127.0.0.1'));
    };
    await withAgent(onlyLoopback, { lookup: resolve }, (agent) =>
      askAgent(agent, `http://files.test.example:${origin.port}/gen/1/1`),
    );
    expect(seen).to.deep.equal([0]);
  });

  it('checks every new connection, so a name that becomes private gets no second one (S40) (S42)', async () => {
    const inner = await startFileOrigin({ host: '127.0.0.2' });
    const { resolve } = scripted(responses('127.0.0.1'), responses('127.0.0.2'));
    await withAgent(onlyLoopback, { lookup: resolve }, async (agent) => {
      const dying = `http://files.test.example:${origin.port}/die/10/100/1`;
      await askAgent(agent, dying);
      expect(await askAgent(agent, dying)).to.be.instanceOf(EgressRefusedError);
    });
    expect(inner.connections).to.equal(0);
    await inner[Symbol.asyncDispose]();
  });

  it('keeps an open connection to a name that becomes private, and refuses a new one (S44)', async () => {
    const { resolve } = scripted(responses('127.0.0.1'), responses('127.0.0.2'));
    await withAgent(onlyLoopback, { lookup: resolve }, async (agent) => {
      const url = `http://files.test.example:${origin.port}/gen/1/1`;
      const before = origin.connections;
      expect(await askAgent(agent, url)).to.equal(200);
      await nextIteration();
      expect(await askAgent(agent, url)).to.equal(200);
      await nextIteration();
      expect(origin.connections).to.equal(before + 1);
      const busy = askAgent(agent, `http://files.test.example:${origin.port}/drip/1/20/5/1`);
      expect(await askAgent(agent, url)).to.be.instanceOf(EgressRefusedError);
      expect(await busy).to.equal(200);
    });
  });

  it('refuses an address in the second layer if the first layer allows it (S3)', async () => {
    const blind: EgressPolicy = { ...closed, judgeAddress: () => 'allowed', allowsName: () => true };
    const before = origin.connections;
    for (const host of ['127.0.0.1', '[::ffff:7f00:1]', 'files.test.example']) {
      const lookup = scripted(responses('127.0.0.1')).resolve;
      const result = await withAgent(blind, { lookup }, (agent) =>
        askAgent(agent, `http://${host}:${origin.port}/`),
      );
      expect(result, host).to.be.instanceOf(Error);
    }
    const result = await withAgent(blind, {}, (agent) => askAgent(agent, `http://127.0.0.1:${origin.port}/`));
    expect(errorCode(result)).to.equal('ERR_IP_BLOCKED');
    expect(origin.connections).to.equal(before);
  });

  it('ignores proxy variables (S6)', async () => {
    const proxy = await startFileOrigin();
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'NODE_USE_ENV_PROXY'] as const;
    const saved = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.origin;
    try {
      const status = await withAgent(onlyLoopback, {}, (agent) => askAgent(agent, origin.url('/gen/1/1')));
      expect(status).to.equal(200);
      await refuses('127.0.0.1');
      expect(proxy.connections).to.equal(0);
    } finally {
      for (const [index, name] of names.entries()) {
        const value = saved[index];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await proxy[Symbol.asyncDispose]();
    }
  });

  it('stops waiting for the resolver after the DNS timeout (S48)', async () => {
    const lookup: ResolveAll = () => Promise.withResolvers<LookupAddress[]>().promise;
    const result = await withAgent(onlyLoopback, { lookup, dnsTimeoutMs: 20 }, (agent) =>
      askAgent(agent, `http://files.test.example:${origin.port}/`),
    );
    expect(errorCode(result)).to.equal('DnsTimeout');
  });

  it('fails for a name without addresses and if the resolver fails', async () => {
    const empty = await withAgent(onlyLoopback, { lookup: scripted([]).resolve }, (agent) =>
      askAgent(agent, 'http://files.test.example/'),
    );
    expect(errorCode(empty)).to.equal('ENOTFOUND');
    const lookup: ResolveAll = () => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' }));
    const failed = await withAgent(onlyLoopback, { lookup }, (agent) =>
      askAgent(agent, 'http://files.test.example/'),
    );
    expect(errorCode(failed)).to.equal('EAI_AGAIN');
  });

  it('hides the reason from callers and keeps it for the operator (S49)', async () => {
    const error = await withAgent(closed, {}, (agent) => askAgent(agent, 'http://169.254.169.254/'));
    expect(error).to.be.instanceOf(EgressRefusedError);
    if (!(error instanceof EgressRefusedError)) return;
    expect(error.message).to.not.match(/link-local|refused|private/);
    expect(error.details).to.deep.equal({ host: '169.254.169.254', reason: 'link-local' });
    expect(error.retryable).to.equal(true);
  });

  it('limits connections per origin', async () => {
    const busy = await startFileOrigin({ latencyMs: 10 });
    await withAgent(onlyLoopback, { connections: 3 }, (agent) =>
      Promise.all(Array.from({ length: 12 }, () => askAgent(agent, busy.url('/gen/10/1')))),
    );
    expect(busy.connections).to.equal(3);
    await busy[Symbol.asyncDispose]();
  });

  it('prefers an idle connection to a new one in the place of one that was reset (FD3)', async () => {
    const held = Promise.withResolvers<undefined>();
    const host = await startFileOrigin({
      routes: {
        '/reset': async (_request, response) => {
          await held.promise;
          response.socket?.resetAndDestroy();
        },
      },
    });
    await withAgent(onlyLoopback, {}, async (agent) => {
      const first = askAgent(agent, host.url('/reset'));
      expect(await askAgent(agent, host.url('/gen/1/1'))).to.equal(200);
      held.resolve(undefined);
      expect(await first).to.be.instanceOf(Error);
      expect(await askAgent(agent, host.url('/gen/1/2'))).to.equal(200);
      expect(host.connections).to.equal(2);
    });
    await host[Symbol.asyncDispose]();
  });

  it('refuses response headers larger than 16 KiB (S47)', async () => {
    const wordy = await startFileOrigin({
      routes: {
        '/': (_request, response) => {
          response.writeHead(200, { 'x-a': 'a'.repeat(20_000) }).end();
        },
      },
    });
    const result = await withAgent(onlyLoopback, {}, (agent) => askAgent(agent, wordy.url('/')));
    expect(errorCode(result)).to.equal('UND_ERR_HEADERS_OVERFLOW');
    await wordy[Symbol.asyncDispose]();
  });
});

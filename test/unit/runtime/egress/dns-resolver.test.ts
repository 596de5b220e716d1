import { expect } from 'chai';
import { createDnsResolver } from '#runtime/egress/dns-resolver.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { errorCode, toError } from '#runtime/errors.ts';
import { type DnsResponse, type DnsServer, startDnsServer } from '#test/support/servers/dns-server.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { until } from '#test/support/until.ts';

const HANGING = 50;
const loopback = createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [] });
const LOCAL: DnsResponse = { kind: 'addresses', addresses: ['127.0.0.1'] };

/** Queries to name servers that have not ended. */
function openQueries(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource.startsWith('Query')).length;
}

describe('createDnsResolver', () => {
  let origin: FileOrigin;
  let dns: DnsServer;
  let respond: (name: string) => DnsResponse;
  before(async () => {
    origin = await startFileOrigin();
  });
  after(() => origin[Symbol.asyncDispose]());
  beforeEach(async () => {
    dns = await startDnsServer((name) => respond(name));
  });
  afterEach(() => dns[Symbol.asyncDispose]());

  function resolve(name: string, family = 0) {
    return createDnsResolver({ servers: [dns.address] })(name, {
      family,
      signal: new AbortController().signal,
    });
  }

  /** The status of the response or the error of each URL, from one agent. */
  async function getAll(hosts: readonly string[], dnsTimeoutMs = 5000) {
    const agent = createGuardedAgent(loopback, {
      connections: 1,
      dnsTimeoutMs,
      lookup: createDnsResolver({ servers: [dns.address] }),
    });
    async function get(host: string): Promise<number | Error> {
      try {
        const target = { origin: `http://${host}:${origin.port}`, path: '/gen/1/1', method: 'GET' } as const;
        const { statusCode, body } = await agent.request(target);
        await body.dump();
        return statusCode;
      } catch (error) {
        return toError(error);
      }
    }
    try {
      return await Promise.all(hosts.map(get));
    } finally {
      await agent.destroy();
    }
  }

  it('resolves both families of an absolute name, with no search list (S8)', async () => {
    respond = () => ({ kind: 'addresses', addresses: ['192.0.2.7', '192.0.2.8', '2001:db8:0:0:0:0:0:1'] });
    expect(await resolve('files.test.example.')).to.deep.equal([
      { address: '192.0.2.7', family: 4 },
      { address: '192.0.2.8', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
    expect(await resolve('files.test.example.', 6)).to.deep.equal([{ address: '2001:db8::1', family: 6 }]);
    expect(new Set(dns.queries)).to.deep.equal(new Set(['A files.test.example', 'AAAA files.test.example']));
  });

  it('connects to a name that the name server resolves, and refuses one with a refused address (S41)', async () => {
    respond = (name) =>
      name === 'mixed.test.example' ? { kind: 'addresses', addresses: ['127.0.0.1', '10.0.0.1'] } : LOCAL;
    const [good, mixed] = await getAll(['files.test.example', 'mixed.test.example']);
    expect(good).to.equal(200);
    expect(mixed).to.be.instanceOf(EgressRefusedError);
  });

  it('repeats a truncated response over TCP', async () => {
    respond = () => ({ kind: 'truncated', addresses: ['127.0.0.1'] });
    expect(await getAll(['files.test.example'])).to.deep.equal([200]);
  });

  for (const [what, given] of [
    ['does not exist', { kind: 'status', rcode: 3 }],
    ['has no address', { kind: 'addresses', addresses: [] }],
    ['is an alias of itself', { kind: 'alias-loop' }],
  ] as const)
    it(`reports a name that ${what} as not found`, async () => {
      respond = () => given;
      const [error] = await getAll(['files.test.example']);
      expect(errorCode(error)).to.equal('ENOTFOUND');
    });

  for (const [what, rcode] of [
    ['fails', 2],
    ['refuses', 5],
  ] as const)
    it(`reports a name server that ${what} as a temporary failure, after at most three queries of a family`, async () => {
      respond = () => ({ kind: 'status', rcode });
      const [error] = await getAll(['files.test.example']);
      expect(errorCode(error)).to.equal('EAI_AGAIN');
      expect(dns.queries.length).to.be.at.most(6);
    });

  it('reports a name server that cannot be reached as a temporary failure, not as a closed port of the host', async () => {
    const { address } = dns;
    await dns[Symbol.asyncDispose]();
    dns = await startDnsServer(() => LOCAL);
    const gone = createDnsResolver({ servers: [address] });
    const error = await gone('files.test.example.', {
      family: 0,
      signal: new AbortController().signal,
    }).catch(toError);
    expect(errorCode(error)).to.equal('EAI_AGAIN');
  });

  for (const family of [4, 6] as const)
    it(`uses the IPv${family} addresses if queries for the other family get no response`, async () => {
      const addresses = ['127.0.0.1', '::1'];
      respond = () => ({ kind: 'one-family', family, addresses });
      expect((await resolve('files.test.example.')).map((one) => one.family)).to.deep.equal([family]);
      expect(openQueries()).to.equal(0);
    });

  it('resolves other names at once while fifty names of a tenant hang, and cancels those at their limit (N5)', async () => {
    const hanging = Array.from({ length: HANGING }, (_, index) => `n${index}.hang.example`);
    respond = (name) => (name.endsWith('.hang.example') ? { kind: 'never' } : LOCAL);
    const ended: string[] = [];
    const stuck = getAll(hanging, 3000).then((results) => {
      ended.push('hanging');
      return results;
    });
    await until('every hanging name to be asked for', () => new Set(dns.queries).size === 2 * HANGING);
    const others = Array.from({ length: 20 }, (_, index) => `n${index}.good.example`);
    const results = await getAll(others);
    ended.push('others');
    expect(results).to.deep.equal(others.map(() => 200));
    const codes = new Set((await stuck).map(errorCode));
    expect(ended).to.deep.equal(['others', 'hanging']);
    expect(codes).to.deep.equal(new Set(['DnsTimeout']));
    await until('every query to end', () => openQueries() === 0);
  });

  it('resolves names of the machine to loopback without a name server', async () => {
    respond = () => ({ kind: 'never' });
    const agent = createGuardedAgent(loopback, { connections: 1 });
    const urls = ['localhost', 'a.localhost'].map((host) => `http://${host}:${origin.port}`);
    try {
      for (const url of urls) {
        const { statusCode, body } = await agent.request({ origin: url, path: '/gen/1/1', method: 'GET' });
        await body.dump();
        expect(statusCode).to.equal(200);
      }
    } finally {
      await agent.destroy();
    }
    expect(dns.queries).to.deep.equal([]);
  });
});

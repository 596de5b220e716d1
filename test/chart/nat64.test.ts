import { expect } from 'chai';
import { type Cidr, contains, formatAddress, parseCidr } from '#runtime/egress/cidr.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { find, render } from './render.ts';

interface Block {
  readonly cidr: string;
  readonly except?: readonly string[];
}

function rangeOf(cidr: string): Cidr {
  const range = parseCidr(cidr);
  if (range === undefined) throw new Error(`${cidr} is invalid`);
  return range;
}

function isIn(cidr: string, ip: string): boolean {
  return contains(rangeOf(cidr), rangeOf(ip));
}

/** The address of an IPv4 address behind the prefix. */
function behind(prefix: string, ip: string): string {
  return formatAddress({ family: 6, value: rangeOf(prefix).value | rangeOf(ip).value });
}

/** The blocks to which the NetworkPolicy of the controller lets webhooks connect. */
async function blocksOf(egress: object, proxyCidrs: readonly string[] = []): Promise<readonly Block[]> {
  const objects = await render({
    'networkPolicies.proxyCidrs': proxyCidrs,
    'networkPolicies.enabled': true,
    'networkPolicies.apiServerCidrs': ['10.96.0.1/32'],
    egress,
  });
  const { egress: rules } = find(objects, 'NetworkPolicy', 'zipjobs-controller')['spec'] as {
    readonly egress: readonly { readonly to?: readonly { readonly ipBlock: Block }[] }[];
  };
  return rules.slice(2).flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock));
}

const IPV4 =
  '1.1.1.1 8.8.8.8 10.0.0.1 10.20.0.1 52.1.2.3 127.0.0.1 168.63.129.16 169.254.169.254 192.168.1.1'.split(
    ' ',
  );
const PREFIXES = [
  '64:ff9b::/96',
  '64:ff9b:0:0:0:0:0:0/96',
  '64:ff9b:0:0:0:0:0::/96',
  '64:ff9b::0.0.0.0/96',
  '2a00:1:2:3:4:5::/96',
  '2a00:1:2:3:4:5::0/96',
  '2A00:1::5:0:0/96',
];
const [PREFIX = ''] = PREFIXES;

interface Options {
  readonly allowCidrs?: readonly string[];
  readonly denyCidrs?: readonly string[];
  readonly clusterCidrs?: readonly string[];
}

const COMMON: Readonly<Record<string, Options>> = {
  'by default': {},
  'with ranges that the operator opened and denied': {
    allowCidrs: ['10.20.0.0/16'],
    denyCidrs: ['52.0.0.0/8'],
  },
  'with IPv4 denied completely': { denyCidrs: ['0.0.0.0/0'] },
  'with IPv6 denied completely': { denyCidrs: ['::/0'] },
};
const RANGES: Readonly<Record<string, Options>> = {
  'a /96 of the cluster': { clusterCidrs: ['fd00:1234::/96'] },
  'a /96 of the cluster, and one that is denied': {
    clusterCidrs: ['fd00::/96'],
    denyCidrs: ['2a00:1:2::/96', '64:ff9b:1::/96'],
  },
  'the prefix as a range of the cluster': { clusterCidrs: ['64:ff9b::/96'] },
  'a range that contains the prefix': { denyCidrs: ['64:ff9b::/64'] },
  'the prefix, in another form': { denyCidrs: ['64:FF9B:0:0:0:0:0:0/96'] },
  'the halves of IPv6': { denyCidrs: ['::/1', '8000::/1'] },
  'the halves of the prefix': { denyCidrs: ['64:ff9b::/97', '64:ff9b::128.0.0.0/97'] },
  'a part of the prefix': { denyCidrs: ['64:ff9b::3400:0/104', '64:ff9b::8.8.8.8/128'] },
  'all mapped addresses': { denyCidrs: ['::ffff:0:0/96'] },
  'some mapped addresses': { denyCidrs: ['::ffff:52.0.0.0/104'], allowCidrs: ['::ffff:10.20.0.0/112'] },
};

describe('the NetworkPolicy of the controller behind NAT64', function () {
  this.timeout(30 * 60_000);

  async function expectSame(prefix: string, options: Options): Promise<void> {
    const egress = { allowCidrs: [], denyCidrs: [], ...options, nat64Prefix: prefix };
    const policy = createEgressPolicy({ ...egress, ownAddresses: [] });
    const blocks = await blocksOf(egress);
    for (const { cidr, except = [] } of blocks)
      for (const one of except) {
        expect(contains(rangeOf(cidr), rangeOf(one)), one).to.equal(true);
        expect(rangeOf(one).prefix, one).to.be.above(rangeOf(cidr).prefix);
      }
    for (const ip of IPV4.flatMap((one) => [one, behind(prefix, one)])) {
      const isOpen = blocks.some(
        ({ cidr, except = [] }) => isIn(cidr, ip) && !except.some((one) => isIn(one, ip)),
      );
      expect(isOpen, ip).to.equal(policy.judgeAddress(ip) === 'allowed');
    }
  }

  for (const prefix of PREFIXES)
    for (const [what, options] of Object.entries(COMMON))
      it(`opens the addresses that the process allows, ${what}: ${prefix} (BC1)`, () =>
        expectSame(prefix, options));

  for (const [what, options] of Object.entries(RANGES))
    it(`opens the addresses that the process allows, with closed or denied ranges: ${what} (BC1)`, () =>
      expectSame(PREFIX, options));

  for (const prefix of PREFIXES)
    it(`writes addresses as RFC 5952, or the API server warns: ${prefix} (BC1)`, async () => {
      const [, , translated] = await blocksOf({ nat64Prefix: prefix, allowCidrs: ['0.0.1.2/32'] });
      const texts = translated?.except ?? [];
      expect(texts).to.have.length.above(10);
      for (const text of texts) {
        const [address = '', length = ''] = text.split('/');
        // The URL standard writes them so too.
        expect(text).to.equal(`${new URL(`http://[${address}]`).hostname.slice(1, -1)}/${length}`);
      }
    });

  it('opens the proxies, also behind the prefix (BC1)', async () => {
    const cidrs = (await blocksOf({ nat64Prefix: PREFIX }, ['10.9.0.0/24', 'fd00:9::/64'])).map(
      ({ cidr }) => cidr,
    );
    expect(cidrs).to.include.members(['10.9.0.0/24', 'fd00:9::/64', '64:ff9b::a09:0/120']);
  });
});

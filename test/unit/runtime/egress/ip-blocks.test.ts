import { expect } from 'chai';
import { contains, parseAddress, parseCidr } from '#runtime/egress/cidr.ts';
import { CLOSED_CIDRS } from '#runtime/egress/closed-ranges.ts';
import { createEgressPolicy, type EgressPolicyOptions } from '#runtime/egress/egress-policy.ts';
import { type IpBlock, openIpBlocks } from '#runtime/egress/ip-blocks.ts';

function isIn(cidr: string, ip: string): boolean {
  const [range, address] = [parseCidr(cidr), parseAddress(ip)];
  return range !== undefined && address !== undefined && contains(range, address);
}

/** How a network plugin applies the blocks. */
function letsThrough(blocks: readonly IpBlock[], ip: string): boolean {
  return blocks.some(({ cidr, except = [] }) => isIn(cidr, ip) && !except.some((one) => isIn(one, ip)));
}

const NONE: EgressPolicyOptions = { allowCidrs: [], denyCidrs: [] };

const ADDRESSES =
  `1.1.1.1 8.8.8.8 10.0.0.1 10.1.2.3 52.1.2.3 100.64.0.1 127.0.0.1 168.63.129.16 168.63.129.17 169.254.169.254
  172.16.0.1 172.32.0.1 192.0.0.8 192.168.1.1 198.18.0.1 203.0.113.9 224.0.0.1 255.255.255.255 2606:4700::1111 2a00:1450::1
  ::1 fe80::1 fd00::1 fc00:1::1 ff02::1 2001:db8::1 2002:a00:1::1 3fff::1 64:ff9b::808:808 64:ff9b::a00:1 64:ff9b::a01:203
  64:ff9b::3401:203 2a00:1450:2:3::a00:1 2a00:1450:2:3::101:101`.split(/\s+/);

describe('openIpBlocks', () => {
  const cases: Readonly<Record<string, EgressPolicyOptions>> = {
    'by default': NONE,
    'with an allowed range': { ...NONE, allowCidrs: ['10.0.0.0/8', 'fd00::/8'] },
    'with an allowed range and a denied part': { allowCidrs: ['10.0.0.0/8'], denyCidrs: ['10.1.0.0/16'] },
    'with a denied public range': { ...NONE, denyCidrs: ['52.0.0.0/8', '2a00::/16'] },
    'with a denied address family': { ...NONE, denyCidrs: ['::/0'] },
    'with ranges of the cluster and an API server (N11)': {
      allowCidrs: ['10.0.0.0/8', '2a00::/16'],
      denyCidrs: [],
      clusterCidrs: ['52.0.0.0/8', '10.1.0.0/16', '2a00:1450::/32'],
      apiServerAddresses: ['10.1.2.3', '8.8.8.8', '127.0.0.1', '2606:4700::1111'],
    },
    'behind NAT64': { ...NONE, nat64Prefix: '64:ff9b::/96' },
    'behind NAT64 with a prefix that is open itself (BC1)': { ...NONE, nat64Prefix: '2a00:1450:2:3::/96' },
    'with an allowed range behind NAT64 (BC14)': {
      ...NONE,
      allowCidrs: ['10.0.0.0/8', 'fd00::/8'],
      nat64Prefix: '64:ff9b::/96',
    },
    'with an allowed range behind NAT64 and denied parts of it (BC14)': {
      allowCidrs: ['10.0.0.0/8'],
      denyCidrs: ['10.1.0.0/16', '64:ff9b::3400:0/104'],
      apiServerAddresses: ['10.0.0.1'],
      nat64Prefix: '64:ff9b::/96',
    },
  };
  for (const [what, options] of Object.entries(cases))
    it(`allows the same addresses as the egress policy, ${what} (P10)`, () => {
      const policy = createEgressPolicy(options);
      const blocks = openIpBlocks(options);
      for (const ip of ADDRESSES)
        expect(letsThrough(blocks, ip), ip).to.equal(policy.judgeAddress(ip) === 'allowed');
    });

  it('opens the proxies, also behind NAT64, and if everything is denied (BC1)', () => {
    const options = { ...NONE, denyCidrs: ['0.0.0.0/0', '::/0'], nat64Prefix: '64:ff9b::/96' };
    const blocks = openIpBlocks(options, ['10.9.0.0/24', 'fd00:9::/64']);
    for (const ip of ['10.9.0.7', '64:ff9b::a09:7', 'fd00:9::7'])
      expect(letsThrough(blocks, ip), ip).to.equal(true);
    for (const ip of ['10.9.1.7', '64:ff9b::a09:107', '64:ff9b::808:808'])
      expect(letsThrough(blocks, ip), ip).to.equal(false);
  });

  it('excludes every blocked range explicitly', () => {
    const excepted = openIpBlocks(NONE).flatMap(({ except = [] }) => except);
    expect(excepted).to.have.members([...CLOSED_CIDRS]);
  });
});

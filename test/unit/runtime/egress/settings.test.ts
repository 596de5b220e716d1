import { expect } from 'chai';
import { readConfig } from '#runtime/config/read-config.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { EGRESS_SETTINGS, toEgressOptions } from '#runtime/egress/settings.ts';

function policyOf(env: Readonly<Record<string, string>>, apiServer = '', port?: number) {
  return createEgressPolicy({
    ...toEgressOptions(readConfig(EGRESS_SETTINGS, env), apiServer, port),
    ownAddresses: [],
  });
}

describe('toEgressOptions', () => {
  it('blocks all special ranges by default', () => {
    const policy = policyOf({});
    expect(policy.judgeAddress('10.0.0.1')).to.deep.equal({ refused: 'private' });
    expect(policy.judgeAddress('64:ff9b::808:808')).to.deep.equal({ refused: 'outside-global-unicast' });
    expect(policy.judgeAddress('8.8.8.8')).to.equal('allowed');
  });

  it('allows and denies ranges, and checks addresses behind the NAT64 prefix', () => {
    const policy = policyOf({
      EGRESS_ALLOW_CIDRS: '10.1.0.0/16, 10.2.0.0/16',
      EGRESS_DENY_CIDRS: '34.118.224.0/20',
      EGRESS_NAT64_PREFIX: '64:ff9b::/96',
    });
    expect(policy.judgeAddress('10.2.0.1')).to.equal('allowed');
    expect(policy.judgeAddress('34.118.224.1')).to.deep.equal({ refused: 'denied-by-operator' });
    expect(policy.judgeAddress('64:ff9b::808:808')).to.equal('allowed');
    expect(policy.judgeAddress('64:ff9b::7f00:1')).to.deep.equal({ refused: 'loopback' });
  });

  it('closes the ranges of the cluster and the host of the API server (N11)', () => {
    const env = {
      EGRESS_CLUSTER_CIDRS: '34.118.0.0/20',
      EGRESS_SERVICE_CIDRS: '34.118.224.0/20,2600:1900:1::/108',
      EGRESS_API_SERVER_ADDRESSES: '35.1.2.3,2600:1900:2::1',
    };
    const policy = policyOf(env, '34.118.224.1');
    for (const ip of ['34.118.0.1', '34.118.224.2', '2600:1900:1::2'])
      expect(policy.judgeAddress(ip), ip).to.deep.equal({ refused: 'cluster' });
    for (const ip of ['34.118.224.1', '35.1.2.3', '2600:1900:2::1', '::ffff:35.1.2.3'])
      expect(policy.judgeAddress(ip), ip).to.deep.equal({ refused: 'api-server' });
    expect(policy.judgeAddress('35.1.2.4')).to.equal('allowed');
    expect(policyOf({}, 'kubernetes.example.com').judgeAddress('35.1.2.3')).to.equal('allowed');
  });

  it('blocks an address at the ports of its API server only, if connections to one port are meant (X56)', () => {
    const env = {
      EGRESS_API_SERVER_ADDRESSES: '35.1.2.3:6443,35.1.2.4:443,35.1.2.5,[2600:1900:2::1]:6443',
    };
    const refused = { refused: 'api-server' };
    for (const [ip, at443, at6443, at9000] of [
      ['35.1.2.3', 'allowed', refused, 'allowed'],
      ['35.1.2.4', refused, 'allowed', 'allowed'],
      ['35.1.2.5', refused, refused, refused],
      ['2600:1900:2::1', 'allowed', refused, 'allowed'],
      ['35.1.2.6', refused, 'allowed', 'allowed'],
    ] as const) {
      expect(policyOf(env, '35.1.2.6:443').judgeAddress(ip), ip).to.deep.equal(refused);
      for (const [port, verdict] of [
        [443, at443],
        [6443, at6443],
        [9000, at9000],
      ] as const)
        expect(policyOf(env, '35.1.2.6:443', port).judgeAddress(ip), `${ip} ${port}`).to.deep.equal(verdict);
    }
  });

  it('refuses a prefix that is not an IPv6 /96', () => {
    for (const prefix of ['64:ff9b::/64', '10.0.0.0/8', 'none'])
      expect(() => policyOf({ EGRESS_NAT64_PREFIX: prefix }), prefix).to.throw(/nat64Prefix/);
  });
});

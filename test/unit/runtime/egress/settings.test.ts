import { expect } from 'chai';
import { readConfig } from '#runtime/config.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { EGRESS_SETTINGS, toEgressOptions } from '#runtime/egress/settings.ts';

const policyOf = (env: Readonly<Record<string, string>>) =>
  createEgressPolicy({ ...toEgressOptions(readConfig(EGRESS_SETTINGS, env)), ownAddresses: [] });

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

  it('refuses a prefix that is not an IPv6 /96', () => {
    for (const prefix of ['64:ff9b::/64', '10.0.0.0/8', 'none'])
      expect(() => policyOf({ EGRESS_NAT64_PREFIX: prefix }), prefix).to.throw(/nat64Prefix/);
  });
});

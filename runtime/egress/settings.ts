import type { ConfigOf, Settings } from '../config.ts';
import type { EgressPolicyOptions } from './egress-policy.ts';

/** The settings of the egress policy, for every process that connects to hosts of callers. */
export const EGRESS_SETTINGS = {
  egressAllowCidrs: {
    env: 'EGRESS_ALLOW_CIDRS',
    type: 'array',
    default: [],
    description: 'allowed ranges in addition to public addresses',
  },
  egressDenyCidrs: {
    env: 'EGRESS_DENY_CIDRS',
    type: 'array',
    default: [],
    description: 'blocked ranges, such as those of pods, services and nodes',
  },
  egressNat64Prefix: {
    env: 'EGRESS_NAT64_PREFIX',
    type: 'string',
    default: '',
    description:
      "/96 prefix of the network's NAT64; its addresses are checked as the IPv4 addresses they contain; empty for none",
  },
} as const satisfies Settings;

export const toEgressOptions = (settings: ConfigOf<typeof EGRESS_SETTINGS>): EgressPolicyOptions => ({
  allowCidrs: settings.egressAllowCidrs,
  denyCidrs: settings.egressDenyCidrs,
  ...(settings.egressNat64Prefix !== '' && { nat64Prefix: settings.egressNat64Prefix }),
});

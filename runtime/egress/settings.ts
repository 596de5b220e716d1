import type { ConfigOf, Settings } from '../config/config.ts';
import type { EgressPolicyOptions } from './egress-policy.ts';
import { parseHostPort } from './host-port.ts';

/** The settings of the egress policy, for every process that connects to hosts of callers. */
export const EGRESS_SETTINGS = {
  egressAllowCidrs: {
    env: 'EGRESS_ALLOW_CIDRS',
    type: 'array',
    default: [],
    description: 'allowed ranges in addition to public addresses',
    changeWhen: 'set it when jobs fail because a source or receiver at a private address is refused',
  },
  egressDenyCidrs: {
    env: 'EGRESS_DENY_CIDRS',
    type: 'array',
    default: [],
    description: 'blocked ranges, also where another setting allows them',
    changeWhen: 'set it when callers must not reach some public or allowed addresses',
  },
  egressClusterCidrs: {
    env: 'EGRESS_CLUSTER_CIDRS',
    type: 'array',
    default: [],
    description: "ranges of the cluster's services, nodes and pods; blocked unless allowed",
    changeWhen: 'set it when the cluster uses public addresses for services, nodes or pods',
  },
  egressServiceCidrs: {
    env: 'EGRESS_SERVICE_CIDRS',
    type: 'array',
    default: [],
    description: 'ranges of services that the controller has read from the cluster; blocked unless allowed',
    setBy: 'the controller, from the cluster',
  },
  egressApiServerAddresses: {
    env: 'EGRESS_API_SERVER_ADDRESSES',
    type: 'array',
    default: [],
    description:
      'addresses of the API server that the controller has read from the cluster, with their ports; blocked, except on loopback and for stores that the operator allows at another port',
    setBy: 'the controller, from the cluster',
  },
  egressNat64Prefix: {
    env: 'EGRESS_NAT64_PREFIX',
    type: 'string',
    default: '',
    description:
      "/96 prefix of the network's NAT64; its addresses are checked as the IPv4 addresses they contain; empty for none",
    changeWhen: 'set it when the network has IPv6 only and its own NAT64 prefix',
  },
} as const satisfies Settings;

/** The hosts whose API server listens on this port, or on one that is not known. Without a port, all of them. */
function hostsAtPort(endpoints: readonly string[], port: number | undefined): readonly string[] {
  return endpoints
    .map(parseHostPort)
    .filter((one) => port === undefined || one.port === undefined || one.port === port)
    .map(({ host }) => host);
}

/**
 * `apiServer` is the host that this process uses for the API server, or `host:port`. With a port, the addresses of an API server
 * that does not listen on it are not blocked: only for connections to that port.
 */
export function toEgressOptions(
  settings: ConfigOf<typeof EGRESS_SETTINGS>,
  apiServer: string,
  port?: number,
): EgressPolicyOptions {
  return {
    allowCidrs: settings.egressAllowCidrs,
    denyCidrs: settings.egressDenyCidrs,
    clusterCidrs: [...settings.egressClusterCidrs, ...settings.egressServiceCidrs],
    apiServerAddresses: hostsAtPort([...settings.egressApiServerAddresses, apiServer], port),
    ...(settings.egressNat64Prefix !== '' && { nat64Prefix: settings.egressNat64Prefix }),
  };
}

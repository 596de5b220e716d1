import type { Settings } from '#runtime/config.ts';

/** The NetworkPolicies of zippers. */
export const NETWORK_SETTINGS = {
  networkPolicies: {
    env: 'NETWORK_POLICIES',
    type: 'boolean',
    default: false,
    description: 'creates a NetworkPolicy for the zippers in each project',
  },
  apiServerCidrs: {
    env: 'API_SERVER_CIDRS',
    type: 'array',
    default: [],
    description: 'CIDRs of the API server, for the NetworkPolicy',
  },
  proxyCidrs: {
    env: 'PROXY_CIDRS',
    type: 'array',
    default: [],
    description: 'CIDRs of the proxies of zippers, for the NetworkPolicy',
  },
  apiServerPorts: {
    env: 'API_SERVER_PORTS',
    type: 'array',
    default: ['443', '6443'],
    description: 'ports of the API server, for the NetworkPolicy',
  },
} as const satisfies Settings;

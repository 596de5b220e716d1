import { BlockList } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { defined } from '../optional.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { EgressRefusedError } from './egress-refused-error.ts';
import { createGuardedLookup, type ResolveAll } from './guarded-lookup.ts';
import { judgeHost } from './judge-url.ts';

export interface GuardedAgentOptions {
  /** Most connections to one origin; further requests wait. */
  readonly connections: number;
  /** Default 10 s; the look-up and the TLS handshake are included. */
  readonly connectTimeoutMs?: number;
  /** Default 5 s. */
  readonly dnsTimeoutMs?: number;
  /** Another resolver, for tests. */
  readonly lookup?: ResolveAll;
  /** Certificate authorities beside the built-in ones are named by NODE_EXTRA_CA_CERTS; this replaces them all. */
  readonly ca?: string;
}

const MAX_HEADER_BYTES = 16 * 1024;
const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
export const DEFAULT_DNS_TIMEOUT_MS = 5000;

/** The policy's closed ranges for Node's own check of the address that a socket is about to connect to. */
export const toBlockList = (policy: EgressPolicy): BlockList => {
  const list = new BlockList();
  for (const { family, network, prefix } of policy.closedRanges) {
    if (prefix === 0) for (const half of halves(family)) list.addSubnet(half, 1, family);
    else list.addSubnet(network, prefix, family);
  }
  return list;
};

/** BlockList knows no prefix of length 0. */
const halves = (family: 'ipv4' | 'ipv6'): readonly string[] =>
  family === 'ipv4' ? ['0.0.0.0', '128.0.0.0'] : ['::', '8000::'];

/**
 * An HTTP/1.1 client that connects only where the policy allows. Two walls judge every new socket: own rules for literals and
 * for all answers of a look-up, and net.BlockList, built from the same ranges, on the address that is really connected.
 * Proxies of the environment are not used: behind a proxy nobody could see the address. Redirects are not followed.
 * A refused connection fails with EgressRefusedError. Whoever creates the agent destroys it.
 */
export const createGuardedAgent = (policy: EgressPolicy, options: GuardedAgentOptions): Agent => {
  const connect = buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    rejectUnauthorized: true,
    blockList: toBlockList(policy),
    lookup: createGuardedLookup(policy, {
      dnsTimeoutMs: options.dnsTimeoutMs ?? DEFAULT_DNS_TIMEOUT_MS,
      ...defined({ resolve: options.lookup }),
    }),
    ...defined({ ca: options.ca }),
  });
  return new Agent({
    allowH2: false,
    pipelining: 1,
    connections: options.connections,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: (target, callback) => {
      const reason = judgeHost(target.hostname, policy);
      if (reason === undefined) connect(target, callback);
      else process.nextTick(callback, new EgressRefusedError(target.hostname, reason), null);
    },
  });
};

import { BlockList } from 'node:net';
import type { buildConnector } from 'undici';
import { defined } from '../collections/optional.ts';
import { toError } from '../errors.ts';
import { Agent, errors } from '../http/undici.ts';
import { createTlsConnector } from '../tls/connector.ts';
import { BUILT_IN_TRUST, type Trust } from '../tls/trust.ts';
import type { ResolveAll } from './dns-resolver.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { EgressRefusedError } from './egress-refused-error.ts';
import { createGuardedLookup } from './guarded-lookup.ts';
import { judgeHost } from './judge-url.ts';
import { type OpenSocketOptions, openSocket, portOf } from './open-socket.ts';
import type { Proxy } from './proxy/proxy.ts';
import { openTunnel, type TunnelOptions } from './proxy/tunnel.ts';

interface ProxiedConnectorOptions extends TunnelOptions {
  /** For the hosts that need no proxy. */
  readonly direct: buildConnector.connector;
  /** For the hosts behind the proxy. */
  readonly secure: Trust;
}

/** A connector for agents of undici that opens a tunnel for every connection, for plain HTTP too. */
function createProxiedConnector(proxy: Proxy, options: ProxiedConnectorOptions): buildConnector.connector {
  const secure = createTlsConnector(options.secure, { allowH2: false, timeout: options.timeoutMs });
  async function connect(
    target: buildConnector.Options,
    port: number,
    callback: buildConnector.Callback,
  ): Promise<void> {
    try {
      const socket = await openTunnel(proxy, { host: target.hostname, port }, options);
      if (target.protocol === 'https:') secure({ ...target, httpSocket: socket }, callback);
      else callback(null, socket);
    } catch (error) {
      callback(toError(error), null);
    }
  }
  return (target, callback) => {
    const port = portOf(target.port, target.protocol === 'https:');
    if (proxy.isDirect(target.hostname, port)) options.direct(target, callback);
    else void connect(target, port, callback);
  };
}

export interface GuardedAgentOptions {
  /** Maximum connections to one origin. Further requests wait. */
  readonly connections: number;
  /** Default 10 s, including the DNS lookup and the TLS handshake. Behind a proxy, for the tunnel and again for TLS. */
  readonly connectTimeoutMs?: number;
  /** Default 5 s. */
  readonly dnsTimeoutMs?: number;
  /** Each address of a name but the last has at least this time to connect. Default 2 s. */
  readonly leastShareMs?: number;
  /** Another resolver, for tests. */
  readonly lookup?: ResolveAll;
  /** Default: Node's own certificate authorities. */
  readonly trust?: Trust;
  /** For the proxy itself, if it has TLS. Default: `trust`. */
  readonly proxyTrust?: Trust;
  /** Default: none. */
  readonly proxy?: Proxy | undefined;
}

const MAX_HEADER_BYTES = 16 * 1024;
export const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
export const DEFAULT_DNS_TIMEOUT_MS = 5000;

/** The closed ranges for Node's own check of the address before a socket connects. */
export function toBlockList(policy: EgressPolicy): BlockList {
  const list = new BlockList();
  for (const { family, network, prefix } of policy.closedRanges) {
    if (prefix === 0) for (const half of halves(family)) list.addSubnet(half, 1, family);
    else list.addSubnet(network, prefix, family);
  }
  return list;
}

/** BlockList does not support prefixes of length 0. */
function halves(family: 'ipv4' | 'ipv6'): readonly string[] {
  return family === 'ipv4' ? ['0.0.0.0', '128.0.0.0'] : ['::', '8000::'];
}

/** A connector whose limit includes the DNS lookup, all addresses and the TLS handshake. */
function createDirectConnector(trust: Trust, options: OpenSocketOptions): buildConnector.connector {
  const { timeoutMs } = options;
  const secure = createTlsConnector(trust, { allowH2: false, timeout: timeoutMs });
  async function connect(target: buildConnector.Options, callback: buildConnector.Callback): Promise<void> {
    const startedMs = performance.now();
    try {
      const isSecure = target.protocol === 'https:';
      const port = portOf(target.port, isSecure);
      const socket = await openSocket({ host: target.hostname, port }, options);
      if (!isSecure) {
        callback(null, socket);
        return;
      }
      const timer = setTimeout(
        () => socket.destroy(new errors.ConnectTimeoutError(`no TLS handshake within ${timeoutMs} ms`)),
        timeoutMs - (performance.now() - startedMs),
      );
      secure({ ...target, httpSocket: socket }, (...outcome) => {
        clearTimeout(timer);
        callback(...outcome);
      });
    } catch (error) {
      callback(toError(error), null);
    }
  }
  return (target, callback) => void connect(target, callback);
}

/**
 * An HTTP/1.1 client that connects only to addresses that the policy allows. Two independent checks cover every new
 * socket: our rules for IP literals and for all results of a DNS lookup, and net.BlockList with the same ranges for the
 * connected address. Behind the operator's proxy, only names and IP literals can be checked. Proxies from the environment
 * are ignored. Redirects are not followed. A refused connection fails with EgressRefusedError. The caller must destroy the
 * agent.
 */
export function createGuardedAgent(policy: EgressPolicy, options: GuardedAgentOptions): Agent {
  const { trust = BUILT_IN_TRUST, proxyTrust = trust, proxy } = options;
  const { connectTimeoutMs: timeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = options;
  const direct = createDirectConnector(trust, {
    timeoutMs,
    leastShareMs: options.leastShareMs,
    blockList: toBlockList(policy),
    resolve: createGuardedLookup(policy, {
      dnsTimeoutMs: Math.min(options.dnsTimeoutMs ?? DEFAULT_DNS_TIMEOUT_MS, timeoutMs),
      ...defined({ resolve: options.lookup }),
    }),
  });
  const connect = proxy
    ? createProxiedConnector(proxy, { direct, secure: trust, trust: proxyTrust, timeoutMs })
    : direct;
  const agent = new Agent({
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
  // undici keeps a client whose connection has ended, and may prefer it to one with an idle connection. It then opens a further
  // connection, which a host that limits them refuses. It drops a client only if it cannot connect.
  agent.on('disconnect', (origin, targets, error) => {
    const client = targets.at(-1);
    if (client) client.emit('connectionError', origin, [client], error);
  });
  return agent;
}

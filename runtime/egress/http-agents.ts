import type { AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Socket } from 'node:net';
import { defined } from '../collections/optional.ts';
import { toError } from '../errors.ts';
import { http } from '../http/node-http.ts';
import { BUILT_IN_TRUST, type Trust } from '../tls/trust.ts';
import type { ResolveAll } from './dns-resolver.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { EgressRefusedError } from './egress-refused-error.ts';
import { DEFAULT_CONNECT_TIMEOUT_MS, DEFAULT_DNS_TIMEOUT_MS, toBlockList } from './guarded-agent.ts';
import { createGuardedLookup, createLookup } from './guarded-lookup.ts';
import { judgeHost } from './judge-url.ts';
import { type OpenSocketOptions, openSocket, portOf, type SocketTarget } from './open-socket.ts';
import type { Proxy } from './proxy/proxy.ts';
import { openTunnel } from './proxy/tunnel.ts';

export interface HttpAgentsOptions {
  /** Maximum connections to one origin. Further requests wait. */
  readonly connections: number;
  /** Default 5 s. */
  readonly dnsTimeoutMs?: number;
  /** Default 10 s, for the DNS lookup and all addresses, or for a tunnel through the proxy. */
  readonly connectTimeoutMs?: number;
  /** Each address of a name but the last has at least this time to connect. Default 2 s. */
  readonly leastShareMs?: number;
  /** Another resolver, for tests. */
  readonly lookup?: ResolveAll;
  /** Default: Node's own certificate authorities. Changes apply to new agents only. */
  readonly trust?: Trust;
  /** For the proxy itself, if it has TLS. Default: `trust`. */
  readonly proxyTrust?: Trust;
  /** Default: none. */
  readonly proxy?: Proxy | undefined;
}

/** Agents of node:http and node:https, for clients that need those. The caller must destroy them. */
export interface HttpAgents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
  destroy(): void;
}

/** Opens a connection, to the host itself or through a tunnel. */
type Open = (target: SocketTarget) => Promise<Socket>;

type Direct = Pick<OpenSocketOptions, 'resolve' | 'blockList'>;

/** Every host that needs the proxy is connected to through a tunnel, for plain HTTP too. */
function openerOf(options: HttpAgentsOptions, direct: Direct): Open {
  const { proxy, trust = BUILT_IN_TRUST, proxyTrust = trust, leastShareMs } = options;
  const { connectTimeoutMs: timeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = options;
  return (target) =>
    proxy && !proxy.isDirect(target.host, target.port)
      ? openTunnel(proxy, target, { trust: proxyTrust, timeoutMs })
      : openSocket(target, { ...direct, timeoutMs, leastShareMs });
}

function lookupOptionsOf({
  dnsTimeoutMs = DEFAULT_DNS_TIMEOUT_MS,
  connectTimeoutMs,
  lookup,
}: HttpAgentsOptions) {
  return {
    dnsTimeoutMs: Math.min(dnsTimeoutMs, connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS),
    ...defined({ resolve: lookup }),
  };
}

/**
 * Makes an agent use these connections. An error goes to the callback: if it were thrown while the agent connects for a queued
 * request, the process would exit. Node counts a connection once it exists, so requests that start at the same time can
 * exceed the limit of connections by their number.
 */
function openConnections(agent: HttpAgent, open: Open, closed: AbortSignal): void {
  const isSecure = agent instanceof HttpsAgent;
  const startTls = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback) => {
    async function connect(): Promise<void> {
      try {
        const socket = await open({
          host: target.host ?? '',
          port: portOf(target.port, isSecure),
        });
        if (closed.aborted) {
          socket.destroy();
          throw new Error('the agent was destroyed while it connected');
        }
        // The TLS agent starts TLS on a socket that it is given.
        const overSocket = { ...target, socket };
        callback?.(null, isSecure ? (startTls(overSocket) ?? socket) : socket);
      } catch (error) {
        callback?.(toError(error), new Socket());
      }
    }
    void connect();
    return undefined;
  };
}

function createAgents(options: HttpAgentsOptions, open: Open): HttpAgents {
  const { connections, trust = BUILT_IN_TRUST } = options;
  const shared: AgentOptions = { keepAlive: true, maxSockets: connections, maxFreeSockets: connections };
  const httpAgent = new http.Agent(shared);
  const httpsAgent = new HttpsAgent({ ...shared, ...trust.tls() });
  const closing = new AbortController();
  for (const agent of [httpAgent, httpsAgent]) openConnections(agent, open, closing.signal);
  return {
    httpAgent,
    httpsAgent,
    destroy: () => {
      closing.abort();
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
}

/** Agents that connect only to addresses that the policy allows, with the same two checks as the guarded agent. */
export function createGuardedHttpAgents(policy: EgressPolicy, options: HttpAgentsOptions): HttpAgents {
  const open = openerOf(options, {
    blockList: toBlockList(policy),
    resolve: createGuardedLookup(policy, lookupOptionsOf(options)),
  });
  return createAgents(options, async (target) => {
    // IP literals never reach the lookup.
    const reason = judgeHost(target.host, policy);
    if (reason !== undefined) throw new EgressRefusedError(target.host, reason);
    return open(target);
  });
}

/** Agents without checks, for hosts that callers cannot choose. */
export function createHttpAgents(options: HttpAgentsOptions): HttpAgents {
  return createAgents(options, openerOf(options, { resolve: createLookup(lookupOptionsOf(options)) }));
}

import type { AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { toError } from '../errors.ts';
import { http } from '../http/node-http.ts';
import { BUILT_IN_TRUST, type Trust } from '../tls/trust.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { EgressRefusedError } from './egress-refused-error.ts';
import { DEFAULT_CONNECT_TIMEOUT_MS, DEFAULT_DNS_TIMEOUT_MS, toBlockList } from './guarded-agent.ts';
import { createGuardedLookup } from './guarded-lookup.ts';
import { judgeHost } from './judge-url.ts';
import type { Proxy } from './proxy/proxy.ts';
import { openTunnel } from './proxy/tunnel.ts';

export interface HttpAgentsOptions {
  /** Maximum connections to one origin. Further requests wait. */
  readonly connections: number;
  /** Default 5 s. */
  readonly dnsTimeoutMs?: number;
  /** Default 10 s, for a tunnel through the proxy. */
  readonly tunnelTimeoutMs?: number;
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

const agentOptions = ({ connections }: HttpAgentsOptions): AgentOptions => ({
  keepAlive: true,
  maxSockets: connections,
  maxFreeSockets: connections,
});

const tlsOf = ({ trust = BUILT_IN_TRUST }: HttpAgentsOptions) => trust.tls();

const pair = (httpAgent: HttpAgent, httpsAgent: HttpsAgent): HttpAgents => ({
  httpAgent,
  httpsAgent,
  destroy: () => {
    httpAgent.destroy();
    httpsAgent.destroy();
  },
});

/**
 * Checks the host of every new connection before its socket exists, because IP literals never reach the lookup. The
 * error goes to the callback: if it were thrown while the agent connects for a queued request, the process would exit.
 */
const guardConnections = (agent: HttpAgent, policy: EgressPolicy): void => {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback): Duplex | null | undefined => {
    const host = target.host ?? '';
    const reason = judgeHost(host, policy);
    if (reason === undefined) return connect(target, callback);
    const error = new EgressRefusedError(host, reason);
    if (!callback) throw error;
    process.nextTick(callback, error, new Socket());
    return undefined;
  };
};

/**
 * Opens a tunnel for every new connection to a host that needs the proxy, for plain HTTP too. Node counts a connection once
 * it exists, so requests that start at the same time can exceed the limit of connections by their number.
 */
const tunnelConnections = (agent: HttpAgent, proxy: Proxy, options: HttpAgentsOptions): void => {
  const { proxyTrust: trust = options.trust ?? BUILT_IN_TRUST } = options;
  const { tunnelTimeoutMs: timeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = options;
  const connect = agent.createConnection.bind(agent);
  const isSecure = agent instanceof HttpsAgent;
  agent.createConnection = (target, callback): Duplex | null | undefined => {
    const host = target.host ?? '';
    const port = Number(target.port) || (isSecure ? 443 : 80);
    if (!callback || proxy.isDirect(host, port)) return connect(target, callback);
    const open = async (): Promise<void> => {
      try {
        const socket = await openTunnel(proxy, { host, port }, { trust, timeoutMs });
        // The TLS agent starts TLS on a socket that it is given.
        const overTunnel = { ...target, socket };
        callback(null, isSecure ? (connect(overTunnel) ?? socket) : socket);
      } catch (error) {
        callback(toError(error), new Socket());
      }
    };
    void open();
    return undefined;
  };
};

const route = (agents: HttpAgents, options: HttpAgentsOptions): HttpAgents => {
  const { proxy } = options;
  if (proxy)
    for (const agent of [agents.httpAgent, agents.httpsAgent]) tunnelConnections(agent, proxy, options);
  return agents;
};

/** Agents that connect only to addresses that the policy allows, with the same two checks as the guarded agent. */
export const createGuardedHttpAgents = (policy: EgressPolicy, options: HttpAgentsOptions): HttpAgents => {
  const guarded = {
    ...agentOptions(options),
    blockList: toBlockList(policy),
    lookup: createGuardedLookup(policy, { dnsTimeoutMs: options.dnsTimeoutMs ?? DEFAULT_DNS_TIMEOUT_MS }),
  };
  const agents = route(
    pair(new http.Agent(guarded), new HttpsAgent({ ...guarded, ...tlsOf(options) })),
    options,
  );
  guardConnections(agents.httpAgent, policy);
  guardConnections(agents.httpsAgent, policy);
  return agents;
};

/** Agents without checks, for hosts that callers cannot choose. */
export const createHttpAgents = (options: HttpAgentsOptions): HttpAgents =>
  route(
    pair(
      new http.Agent(agentOptions(options)),
      new HttpsAgent({ ...agentOptions(options), ...tlsOf(options) }),
    ),
    options,
  );

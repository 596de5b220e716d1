import { Agent } from '../../http/undici.ts';
import type { KubeAccess, KubeCredentials } from './kube-access.ts';

/** Enough for all workers. More concurrent calls would only queue in the API server. */
const MAX_CALL_CONNECTIONS = 64;
/** How long credentials are reused. A rotated token stays valid much longer. */
const CREDENTIALS_AGE_MS = 10_000;

export interface Connection {
  readonly headers: KubeCredentials['headers'];
  readonly calls: Agent;
  readonly watches: Agent;
}

/** Pooled connections with the current credentials. */
export interface Connections {
  current(): Promise<Connection>;
  /** Reads the credentials again after a 401. True if they changed, so that a retry can succeed. */
  renew(used: Connection): Promise<boolean>;
  destroy(): Promise<void>;
}

// HTTP/1.1, because with HTTP/2 one dead TCP connection would block every watch and call, and no ping would detect it.
function createAgents(tls: KubeCredentials['tls'], connectTimeoutMs: number): Omit<Connection, 'headers'> {
  const connect = { ...tls, timeout: connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: 15_000 };
  const common = { connect, allowH2: false, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
  return {
    calls: new Agent({ ...common, connections: MAX_CALL_CONNECTIONS, keepAliveTimeout: 30_000 }),
    watches: new Agent({ ...common, keepAliveTimeout: 2_000 }),
  };
}

function fingerprint(tls: KubeCredentials['tls']): string {
  return JSON.stringify(tls);
}

/**
 * The client library creates a dispatcher, and so a TLS connection, for every call. This code keeps two, one for calls
 * and one for watches, and replaces them only when the CA or the client certificate changes.
 */
export function createConnections(
  access: KubeAccess,
  options: { readonly connectTimeoutMs: number },
): Connections {
  let agents: (Omit<Connection, 'headers'> & { readonly mark: string }) | undefined;
  let connection: Connection | undefined;
  let readAt = 0;
  let reading: Promise<Connection> | undefined;

  async function read(forget: boolean): Promise<Connection> {
    const { headers, tls } = await access.credentials({ forget });
    const mark = fingerprint(tls);
    if (agents?.mark !== mark) {
      const old = agents;
      agents = { ...createAgents(tls, options.connectTimeoutMs), mark };
      // Active calls on the old connections may finish.
      void Promise.allSettled([old?.calls.close(), old?.watches.close()]);
    }
    connection = { headers, calls: agents.calls, watches: agents.watches };
    readAt = performance.now();
    return connection;
  }
  function readOnce(forget: boolean): Promise<Connection> {
    reading ??= read(forget).finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    current: async () => {
      if (connection && performance.now() - readAt < CREDENTIALS_AGE_MS) return connection;
      return readOnce(false);
    },
    renew: async (used) => {
      const fresh = await readOnce(true);
      return fresh.headers['authorization'] !== used.headers['authorization'] || fresh.calls !== used.calls;
    },
    destroy: async () => {
      await Promise.allSettled([agents?.calls.destroy(), agents?.watches.destroy()]);
    },
  };
}

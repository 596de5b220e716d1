import type { buildConnector } from 'undici';
import { toError } from '../../errors.ts';
import { createTlsConnector } from '../../tls/connector.ts';
import { portOf } from '../open-socket.ts';
import type { Proxy } from './proxy.ts';
import { openTunnel, type TunnelOptions } from './tunnel.ts';

export interface ProxiedConnectorOptions extends TunnelOptions {
  /** For the hosts that need no proxy. */
  readonly direct: buildConnector.connector;
}

/** A connector for agents of undici that opens a tunnel for every connection, for plain HTTP too. */
export function createProxiedConnector(
  proxy: Proxy,
  options: ProxiedConnectorOptions,
): buildConnector.connector {
  const secure = createTlsConnector(options.trust, { allowH2: false, timeout: options.timeoutMs });
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

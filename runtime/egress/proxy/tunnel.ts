import type { ClientRequest } from 'node:http';
import { isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { defined } from '../../collections/optional.ts';
import { toError } from '../../errors.ts';
import { http } from '../../http/node-http.ts';
import type { Trust } from '../../tls/trust.ts';
import type { ResolveAll } from '../dns-resolver.ts';
import { createLookup } from '../guarded-lookup.ts';
import { openSocket, portOf } from '../open-socket.ts';
import type { Proxy } from './proxy.ts';
import { refusedTunnel, unreachableProxy } from './proxy-error.ts';

export interface TunnelTarget {
  /** A name, or an address without brackets. The proxy resolves names. */
  readonly host: string;
  readonly port: number;
}

export interface TunnelOptions {
  readonly trust: Trust;
  /** Time limit for the connection to the proxy and its response. */
  readonly timeoutMs: number;
  /** Another resolver of the proxy's name, for tests. */
  readonly lookup?: ResolveAll;
}

const MAX_HEADER_BYTES = 16 * 1024;

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** A connection to the proxy itself. */
async function dial({ url }: Proxy, { trust, timeoutMs, lookup }: TunnelOptions): Promise<Socket> {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = portOf(url.port, isSecure);
  const resolve = createLookup({ dnsTimeoutMs: timeoutMs, ...defined({ resolve: lookup }) });
  const socket = await openSocket({ host, port }, { resolve, timeoutMs });
  if (!isSecure) return socket;
  return connectTls({ ...trust.tls(), socket, host, servername: isIP(host) === 0 ? host : '' });
}

/** Neither an agent nor the environment can send this request elsewhere. */
function connectRequest(proxy: Proxy, target: TunnelTarget, options: TunnelOptions): ClientRequest {
  const authority = `${bracketed(target.host)}:${target.port}`;
  const { authorization } = proxy;
  return http.request({
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(authorization !== undefined && { 'proxy-authorization': authorization }),
    },
    maxHeaderSize: MAX_HEADER_BYTES,
    createConnection: (_target, created) => {
      dial(proxy, options).then(
        (socket) => created(null, socket),
        (error: unknown) => created(toError(error), new Socket()),
      );
      return undefined;
    },
  });
}

/**
 * Opens a tunnel through the proxy. The operator chose its address, so it is not checked. The caller must have checked the
 * host of the target.
 * @throws ProxyError
 */
export function openTunnel(proxy: Proxy, target: TunnelTarget, options: TunnelOptions): Promise<Socket> {
  const { timeoutMs } = options;
  const opened = Promise.withResolvers<Socket>();
  const request = connectRequest(proxy, target, options);
  const timer = setTimeout(() => {
    request.destroy(new Error(`no response to CONNECT within ${timeoutMs} ms`));
  }, timeoutMs);
  request.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      opened.resolve(socket);
      return;
    }
    socket.destroy();
    opened.reject(refusedTunnel(proxy.purpose, statusCode));
  });
  request.on('error', (error) => opened.reject(unreachableProxy(proxy.purpose, error)));
  request.end();
  return opened.promise.finally(() => clearTimeout(timer));
}

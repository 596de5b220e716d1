import type { ClientRequest, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { http } from '../../http/node-http.ts';
import type { Trust } from '../../tls/trust.ts';
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
}

const MAX_HEADER_BYTES = 16 * 1024;

const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

/** Neither an agent nor the environment can send this request elsewhere. */
const connectRequest = ({ url, authorization }: Proxy, target: TunnelTarget, trust: Trust): ClientRequest => {
  const authority = `${bracketed(target.host)}:${target.port}`;
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const options: RequestOptions = {
    method: 'CONNECT',
    host,
    port: url.port || (isSecure ? 443 : 80),
    path: authority,
    headers: {
      host: authority,
      ...(authorization !== undefined && { 'proxy-authorization': authorization }),
    },
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  if (!isSecure) return http.request(options);
  // Otherwise Node takes the name from the header, which is that of the target, and callers choose targets.
  const servername = isIP(host) === 0 ? host : '';
  return httpsRequest({ ...options, ...trust.tls(), servername });
};

/**
 * Opens a tunnel through the proxy. The operator chose its address, so it is not checked. The caller must have checked the
 * host of the target.
 * @throws ProxyError
 */
export const openTunnel = (
  proxy: Proxy,
  target: TunnelTarget,
  { trust, timeoutMs }: TunnelOptions,
): Promise<Socket> => {
  const opened = Promise.withResolvers<Socket>();
  const request = connectRequest(proxy, target, trust);
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
};

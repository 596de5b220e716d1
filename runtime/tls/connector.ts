import { buildConnector } from '../http/undici.ts';
import type { ClientTls, Trust } from './trust.ts';

/** The dot at the end of a name is for DNS. A handshake names the host without it (RFC 6066, 3). */
function withoutRootDot(target: buildConnector.Options): buildConnector.Options {
  return target.hostname.endsWith('.') ? { ...target, servername: target.hostname.slice(0, -1) } : target;
}

/** A connector for agents of undici. Every new connection uses the authorities that are trusted at its start. */
export function createTlsConnector(
  trust: Trust,
  options: buildConnector.BuildOptions = {},
): buildConnector.connector {
  let known: { readonly tls: ClientTls; readonly connect: buildConnector.connector } | undefined;
  return (target, callback) => {
    const tls = trust.tls();
    // A new connector also forgets TLS sessions, which could be resumed without a check of the certificate.
    if (known?.tls !== tls) known = { tls, connect: buildConnector({ ...options, ...tls }) };
    known.connect(withoutRootDot(target), callback);
  };
}

import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { Certificate } from './certificates.ts';

/** The TLS options of a client. An object is never changed: other authorities come with another object. */
export interface ClientTls {
  readonly rejectUnauthorized: true;
  /** Undefined: Node's own authorities. */
  readonly secureContext?: SecureContext;
}

/** The certificate authorities of outgoing connections. */
export interface Trust {
  /** The options for a connection that starts now. */
  tls(): ClientTls;
}

const BUILT_IN: ClientTls = { rejectUnauthorized: true };

/** Options that trust these certificates in addition to Node's own authorities. */
export function tlsOf(certificates: readonly Certificate[]): ClientTls {
  if (certificates.length === 0) return BUILT_IN;
  // `ca` replaces all authorities, those of NODE_EXTRA_CA_CERTS too. The context is parsed once, not for each connection.
  const ca = [...getCACertificates('default'), ...certificates.map(({ pem }) => pem)];
  return { rejectUnauthorized: true, secureContext: createSecureContext({ ca }) };
}

/** Trust in these certificates that never changes. */
export function fixedTrust(certificates: readonly Certificate[]): Trust {
  let known: ClientTls | undefined;
  return { tls: () => (known ??= tlsOf(certificates)) };
}

/** Trust in these certificates instead of Node's own authorities. */
export function onlyTrust(certificates: readonly Certificate[]): Trust {
  const secureContext = createSecureContext({ ca: certificates.map(({ pem }) => pem) });
  const tls: ClientTls = { rejectUnauthorized: true, secureContext };
  return { tls: () => tls };
}

/** Only Node's own authorities. */
export const BUILT_IN_TRUST: Trust = { tls: () => BUILT_IN };

import { certificatePath, certificateText } from './tls-front.ts';

/** The certificate of a server on 127.0.0.1, signed by a private authority, as text and as files. */
export const PRIVATE_TLS = {
  cert: certificateText('private.pem'),
  key: certificateText('server.key'),
  certificatePath: certificatePath('private.pem'),
  keyPath: certificatePath('server.key'),
  /** What clients must trust. */
  authority: certificateText('private-ca.pem'),
  authorityPath: certificatePath('private-ca.pem'),
} as const;

import type { RequestOptions } from 'node:https';

/** What the calls of the next seconds are sent with. */
export interface KubeCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;
}

/** Which API server, and who we are there. */
export interface KubeAccess {
  /** Base URL without a trailing slash. */
  readonly server: string;
  /** Reads files and tokens anew; with `forget` not even what the client keeps for a minute is reused. */
  credentials(options?: { readonly forget?: boolean }): Promise<KubeCredentials>;
}

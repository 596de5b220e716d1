import type { RequestOptions } from 'node:https';

/** Headers and TLS options for the calls of the next few seconds. */
export interface KubeCredentials {
  readonly headers: { readonly authorization?: string; readonly [name: string]: string | string[] };
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;
}

/** An API server, and our identity there. */
export interface KubeAccess {
  /** Base URL without a trailing slash. */
  readonly server: string;
  /** Reads files and tokens again. `forget` also bypasses the client library's cache of one minute. */
  credentials(options?: { readonly forget?: boolean }): Promise<KubeCredentials>;
}

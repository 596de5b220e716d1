/** Credentials that change while an upload runs. */
import type { RetryPolicy } from '#runtime/time/retry.ts';

export interface StoreIdentity {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only of temporary credentials. */
  readonly sessionToken?: string;
}

/** Credentials that are asked for each request. */
export interface RenewableCredentials {
  current(): Promise<StoreIdentity>;
  /** Replaces the rejected ones, unless that has already happened. */
  renew(rejected: StoreIdentity): Promise<void>;
  /**
   * Reads credentials that somebody else replaces, after a request without a response: a store that rejects the key of a part
   * before it has read the body may reset the connection, and the response is lost.
   */
  reread?(): Promise<void>;
  /** How often, and for how long, a request is repeated whose credentials the store rejected. The first repetition comes at once. */
  readonly repeats: RetryPolicy;
}

export type StoreCredentials = StoreIdentity | RenewableCredentials;

export function isRenewable(credentials: StoreCredentials): credentials is RenewableCredentials {
  return 'renew' in credentials;
}

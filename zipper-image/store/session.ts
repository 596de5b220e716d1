/** Credentials that change while an upload runs. */

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
}

export type StoreCredentials = StoreIdentity | RenewableCredentials;

export function isRenewable(credentials: StoreCredentials): credentials is RenewableCredentials {
  return 'renew' in credentials;
}

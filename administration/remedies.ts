import type { FailureCode } from '#crds/zipper-contract.ts';

/** Next steps for failures that a retry does not fix. They never reveal why an address was refused. */
const REMEDIES: Readonly<Partial<Record<FailureCode, string>>> = {
  BucketNotFound: 'Create the bucket at the provider, or add the bucket again under its correct name.',
  BucketAccessDenied:
    'Grant the credentials write access to the bucket at the provider, or set other credentials. Then test the bucket.',
  BucketCredentialsInvalid:
    'Set valid credentials for the bucket, or correct the trust policy of its role. Then test the bucket.',
  BucketMisconfigured:
    'Correct region, host and endpoint in the settings of the bucket, in the dashboard or in its ZipBucket. If the message names an option of objectOptions, change it in the bucket, in jobDefaults of the project or in the request. For your own S3-compatible store, ask your administrator to set store.allowedHosts, and if needed store.allowHttp (plain HTTP) or store.allowCidrs (private addresses).',
  StoreUnavailable: 'Check that the store is running and reachable. Then try again.',
  ObjectExists: 'Choose another key, or use a bucket that replaces existing objects.',
  SourceUnreachable:
    'Check that the URL is reachable from the public internet. For a source at a private address, ask your administrator to set egress.allowCidrs.',
  SourceNotFound: 'Check the response of the URL, correct the URL, and send the request again.',
  SourceExpired:
    'Sign the URLs again with an expiry that covers the time in the queue, and send the request again.',
  SourceProxyAuthenticationRequired:
    'Ask your administrator to correct proxy.sources.credentialSecretRef. Then run the job again.',
  SourceProxyForbidden: 'Ask your administrator to allow the host of the URL in the proxy for sources.',
  StoreProxyAuthenticationRequired:
    'Ask your administrator to correct proxy.stores.credentialSecretRef. Then run the job again.',
  StoreProxyForbidden: 'Ask your administrator to allow the host of the store in the proxy for stores.',
  SourceTlsError: 'Renew the certificate of the source, or use another URL.',
  SourceTooLarge: 'Remove the file from the request, or ask your administrator to raise the limit.',
  ArchiveTooLarge: 'Split the request into several archives, or ask your administrator to raise the limit.',
};

/** Null if the user cannot do anything, or if the code has no remedy. */
export const remedyFor = (code: string): string | null =>
  Object.entries(REMEDIES).find(([known]) => known === code)?.[1] ?? null;

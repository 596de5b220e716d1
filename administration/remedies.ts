import type { FailureCode } from '#crds/zipper-contract.ts';

/** What a person can do about an end that does not mend itself. Nothing here tells why an address was refused. */
const REMEDIES: Readonly<Partial<Record<FailureCode, string>>> = {
  BucketNotFound: 'Create the bucket at the provider, or add the one that is meant.',
  BucketAccessDenied:
    'Allow the credentials at the provider to write objects to the bucket, or set others that may. Then test the bucket.',
  BucketCredentialsInvalid: 'Set the right credentials of the bucket. Then test it.',
  BucketMisconfigured:
    'Compare region, host and endpoint with what the provider says; to correct them delete the bucket here and create it again. Whoever runs zipjobs allows a store of your own (store.allowedHosts), also by plain HTTP (store.allowHttp) and at a private address (egress.allowCidrs).',
  StoreUnavailable: 'See that the store runs and answers at its address. Then try again.',
  ObjectExists: 'Choose another key, or a bucket that replaces objects.',
  SourceUnreachable:
    'See that the URL can be fetched from the public internet. Whoever runs zipjobs allows sources at private addresses (egress.allowCidrs).',
  SourceNotFound: 'See what the URL answers, correct it, and send the request again.',
  SourceExpired: 'Sign the URLs anew, for longer than a job may wait, and send the request again.',
  SourceTlsError: 'Renew the certificate of the source, or name another URL.',
  SourceTooLarge: 'Leave the file out, or have the limit raised by whoever runs zipjobs.',
  ArchiveTooLarge: 'Ask for several archives, or have the limit raised by whoever runs zipjobs.',
};

/** Null for what nothing is to be done about, or for a code that has no remedy of its own. */
export const remedyFor = (code: string): string | null =>
  Object.entries(REMEDIES).find(([known]) => known === code)?.[1] ?? null;

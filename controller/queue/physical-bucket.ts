import type { ZipBucket } from '#crds/zip-bucket.ts';

const AWS = 's3.amazonaws.com';
/** Names of buckets are unique among all regions, and all its hosts reach the same buckets. */
function isAws(host: string): boolean {
  return host === 'amazonaws.com' || host.endsWith('.amazonaws.com');
}

/** Host of an endpoint without a default port, in lower case. A text that is no URL stands for itself. */
function hostOf(endpoint: string): string {
  const host = URL.parse(endpoint)?.host ?? endpoint;
  return isAws(host) ? AWS : host.replace(/\.$/, '');
}

function storeHostOf({ service, endpoint, host, accountId = '' }: ZipBucket['spec']): string {
  if (endpoint !== undefined) return hostOf(endpoint);
  return service === 's3' ? AWS : hostOf(`https://${host ?? `${accountId}.r2.cloudflarestorage.com`}`);
}

/** Identifies a bucket at its store. Several ZipBuckets, also of different services, can be the same bucket. */
export function physicalBucketOf({ spec }: Pick<ZipBucket, 'spec'>): string {
  return `${storeHostOf(spec)}/${spec.bucketName}`;
}

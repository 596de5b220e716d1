import type { ZipBucket } from '#crds/zip-bucket.ts';

const AWS = 's3.amazonaws.com';
/** Names of buckets are unique among all regions, and all its hosts reach the same buckets. */
const isAws = (host: string): boolean => host === 'amazonaws.com' || host.endsWith('.amazonaws.com');

/** Host of an endpoint without a default port, in lower case. A text that is no URL stands for itself. */
const hostOf = (endpoint: string): string => {
  const host = URL.parse(endpoint)?.host ?? endpoint;
  return isAws(host) ? AWS : host.replace(/\.$/, '');
};

const storeHostOf = ({ service, endpoint, host, accountId = '' }: ZipBucket['spec']): string => {
  if (endpoint !== undefined) return hostOf(endpoint);
  return service === 's3' ? AWS : hostOf(`https://${host ?? `${accountId}.r2.cloudflarestorage.com`}`);
};

/** Identifies a bucket at its store. Several ZipBuckets, also of different services, can be the same bucket. */
export const physicalBucketOf = ({ spec }: Pick<ZipBucket, 'spec'>): string =>
  `${storeHostOf(spec)}/${spec.bucketName}`;

/** Which store a bucket is at, and where its requests go. */
import type { Service } from '#crds/zip-job.ts';
import type { TaskBucket } from '#crds/zipper-task.ts';
import {
  assertObjectOptions,
  CAPABILITIES,
  type Capabilities,
  misconfigured,
  type StoreKind,
} from './store-capabilities.ts';

export interface Provider {
  readonly kind: StoreKind;
  readonly capabilities: Capabilities;
  /** Bucket in the path instead of the host name. */
  readonly pathStyle: boolean;
  /** Whether the host is chosen by a person, so that connections to it must pass the egress guard. */
  readonly guarded: boolean;
  readonly region: string;
  /** Undefined: the SDK's own endpoint of the region. */
  readonly endpoint: string | undefined;
}

export interface ProviderRules {
  /** `host` or `host:port` of stores that the operator allows beside AWS and Cloudflare. */
  readonly allowedHosts: readonly string[];
  readonly allowHttp: boolean;
}

const R2_HOST = /^[0-9a-f]{32}\.(?:(?:eu|us|fedramp)\.)?r2\.cloudflarestorage\.com$/;
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

const checkRegion = (region: string, { region: pattern }: Capabilities): string => {
  if (!pattern.test(region))
    throw misconfigured(`region ${JSON.stringify(region)} is not a valid region name`);
  return region;
};

const isAllowed = (url: URL, rules: ProviderRules): boolean =>
  rules.allowedHosts.some((allowed) => {
    const host = allowed.toLowerCase();
    return host === url.host || host === url.hostname;
  });

const parseEndpoint = (text: string): URL => {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw misconfigured('its endpoint is not a plain http or https URL');
  return url;
};

const checkEndpoint = (url: URL, rules: ProviderRules): string => {
  if (!isAllowed(url, rules))
    throw misconfigured(
      `the store ${url.host} is not allowed; ask the operator to add it to STORE_ALLOWED_HOSTS`,
    );
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.allowHttp))
    throw misconfigured(`the store ${url.host} requires https`);
  return url.href;
};

const r2Endpoint = (bucket: TaskBucket, rules: ProviderRules): string => {
  const host = (bucket.host ?? `${bucket.accountId ?? ''}.r2.cloudflarestorage.com`).toLowerCase();
  const url = parseEndpoint(`https://${host}`);
  if (url.host !== host) throw misconfigured('its host is not a valid host name');
  return R2_HOST.test(host) ? url.href : checkEndpoint(url, rules);
};

const r2 = (bucket: TaskBucket, rules: ProviderRules): Provider => ({
  kind: 'r2',
  capabilities: CAPABILITIES.r2,
  pathStyle: true,
  guarded: true,
  region: 'auto',
  endpoint: r2Endpoint(bucket, rules),
});

const custom = (bucket: TaskBucket, endpoint: string, rules: ProviderRules): Provider => ({
  kind: 'custom',
  capabilities: CAPABILITIES.custom,
  pathStyle: true,
  guarded: true,
  region: checkRegion(bucket.region ?? 'us-east-1', CAPABILITIES.custom),
  endpoint: checkEndpoint(parseEndpoint(endpoint), rules),
});

const aws = (bucket: TaskBucket): Provider => ({
  kind: 's3',
  capabilities: CAPABILITIES.s3,
  // The certificate of the bucket's own host name covers one label only.
  pathStyle: bucket.name.includes('.'),
  guarded: false,
  region: checkRegion(bucket.region ?? 'us-east-1', CAPABILITIES.s3),
  endpoint: undefined,
});

const BY_SERVICE: Readonly<Record<Service, (bucket: TaskBucket, rules: ProviderRules) => Provider>> = {
  s3: aws,
  r2,
};

/**
 * Decides how a bucket's store is spoken to.
 * @throws StoreError with code BucketMisconfigured for names, hosts, regions and object options that must not be used.
 */
export const providerOf = (bucket: TaskBucket, rules: ProviderRules): Provider => {
  if (!BUCKET_NAME.test(bucket.name))
    throw misconfigured(`${JSON.stringify(bucket.name)} is not a valid bucket name`);
  const provider =
    bucket.endpoint === undefined
      ? BY_SERVICE[bucket.service](bucket, rules)
      : custom(bucket, bucket.endpoint, rules);
  assertObjectOptions(bucket, provider.capabilities);
  return provider;
};

/** Determines the store of a bucket and its endpoint, for uploads and for download links. */
import type { Service } from '#crds/zip-job.ts';
import { AppError } from '../errors.ts';
import { isListed } from './listed-hosts.ts';

/** The fields of a bucket that determine its store. */
export interface BucketPlace {
  readonly service: Service;
  readonly name: string;
  readonly region?: string;
  readonly host?: string;
  readonly accountId?: string;
  readonly endpoint?: string;
}

export interface StoreRules {
  /** `host` or `host:port` of stores that the operator allows in addition to AWS and Cloudflare. */
  readonly allowedHosts: readonly string[];
  readonly allowHttp: boolean;
}

export type StoreKind = 's3' | 'r2' | 'custom';

/** A bucket with an endpoint is in a store of the operator, whatever its service. */
export function storeKindOf({ service, endpoint }: Pick<BucketPlace, 'service' | 'endpoint'>): StoreKind {
  return endpoint === undefined ? service : 'custom';
}

export interface StoreLocation {
  readonly kind: StoreKind;
  /** The bucket is in the path instead of the host name. */
  readonly pathStyle: boolean;
  /** Whether users choose the host, so that connections to it must pass the egress guard. */
  readonly guarded: boolean;
  readonly region: string;
  /** Undefined: the SDK's endpoint of the region. */
  readonly endpoint: string | undefined;
}

/** The settings of the bucket name no store, or one that the operator does not allow. */
export class StoreLocationError extends AppError {
  constructor(message: string) {
    super(message, { code: 'StoreLocation', retryable: false });
  }
}

const R2_HOST = /^[0-9a-f]{32}\.(?:(?:eu|us|fedramp)\.)?r2\.cloudflarestorage\.com$/;
/** True for every address of R2, whatever the bucket says. */
export function isAtR2({ kind, endpoint }: StoreLocation): boolean {
  return kind === 'r2' || R2_HOST.test(URL.parse(endpoint ?? '')?.host ?? '');
}

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Region names become part of a host name, so nothing else is accepted. */
const AWS_REGION = /^[a-z]{2,4}(-[a-z]+)+-\d+$/;
/** The S3 client accepts labels of host names only. */
const CUSTOM_REGION = /^(?!-)[a-z0-9-]{1,32}(?<!-)$/;

function checkRegion(region: string, pattern: RegExp): string {
  if (!pattern.test(region))
    throw new StoreLocationError(`region ${JSON.stringify(region)} is not a valid region name`);
  return region;
}

function parseEndpoint(text: string): URL {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new StoreLocationError('its endpoint is not a plain http or https URL');
  return url;
}

function checkEndpoint(url: URL, rules: StoreRules): string {
  if (!isListed(url, rules.allowedHosts))
    throw new StoreLocationError(
      `the store ${url.host} is not allowed; ask your administrator to add it to store.allowedHosts`,
    );
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.allowHttp))
    throw new StoreLocationError(`the store ${url.host} requires https`);
  return url.href;
}

function r2Endpoint(bucket: BucketPlace, rules: StoreRules): string {
  const host = (bucket.host ?? `${bucket.accountId ?? ''}.r2.cloudflarestorage.com`).toLowerCase();
  const url = parseEndpoint(`https://${host}`);
  if (url.host !== host) throw new StoreLocationError('its host is not a valid host name');
  return R2_HOST.test(host) ? url.href : checkEndpoint(url, rules);
}

function r2(bucket: BucketPlace, rules: StoreRules): StoreLocation {
  return {
    kind: 'r2',
    pathStyle: true,
    guarded: true,
    region: 'auto',
    endpoint: r2Endpoint(bucket, rules),
  };
}

function custom(bucket: BucketPlace, endpoint: string, rules: StoreRules): StoreLocation {
  return {
    kind: 'custom',
    pathStyle: true,
    guarded: true,
    region: checkRegion(bucket.region ?? 'us-east-1', CUSTOM_REGION),
    endpoint: checkEndpoint(parseEndpoint(endpoint), rules),
  };
}

function aws(bucket: BucketPlace): StoreLocation {
  return {
    kind: 's3',
    // The wildcard certificate covers only one label of the host name.
    pathStyle: bucket.name.includes('.'),
    guarded: false,
    region: checkRegion(bucket.region ?? 'us-east-1', AWS_REGION),
    endpoint: undefined,
  };
}

const BY_SERVICE: Readonly<Record<Service, (bucket: BucketPlace, rules: StoreRules) => StoreLocation>> = {
  s3: aws,
  r2,
};

/** @throws StoreLocationError for names, hosts and regions that are not allowed */
export function locateStore(bucket: BucketPlace, rules: StoreRules): StoreLocation {
  if (!BUCKET_NAME.test(bucket.name))
    throw new StoreLocationError(`${JSON.stringify(bucket.name)} is not a valid bucket name`);
  return bucket.endpoint === undefined
    ? BY_SERVICE[bucket.service](bucket, rules)
    : custom(bucket, bucket.endpoint, rules);
}

import { bucketResourceName } from '#crds/api-group.ts';
import type { ObjectOptions, ZipBucketSpec } from '#crds/zip-bucket.ts';
import { SERVICES, type Service } from '#crds/zip-job.ts';
import { invalidInput } from './administration-error.ts';

/** As it comes from a form or from arguments: what each service needs is checked here. */
export interface NewBucket {
  readonly service: string;
  readonly bucketName: string;
  /** s3 only. */
  readonly region?: string | undefined;
  /** r2 only: `<account id>.<domain>`. */
  readonly host?: string | undefined;
  /** r2 only. */
  readonly accountId?: string | undefined;
  /** Base URL of an S3-compatible store. */
  readonly endpoint?: string | undefined;
  readonly objectOptions?: ObjectOptions | undefined;
}

export interface BucketCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A bucket as callers of the API name it. */
export interface BucketRef {
  readonly service: string;
  readonly bucketName: string;
}

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9-]{1,32}$/;
const HOST = /^[a-z0-9.-]{1,247}(:\d{1,5})?$/;
const ACCOUNT_ID = /^[A-Za-z0-9-]{1,64}$/;
const CREDENTIAL = /^[\x21-\x7e]{1,512}$/;
const ENDPOINT = /^https?:\/\/[A-Za-z0-9.:[\]-]+\/?$/;
const MAX_ENDPOINT = 253;

const FIELDS = {
  s3: { needed: ['region'], other: ['host', 'accountId'] },
  r2: { needed: ['host', 'accountId'], other: ['region'] },
} as const satisfies Record<Service, unknown>;

const SAMPLES = {
  region: 'such as eu-central-1',
  host: 'of the form <account id>.<domain>, such as 0123abcd.r2.cloudflarestorage.com',
  accountId: 'the identifier of the account at the provider',
} as const;

const isService = (text: string): text is Service => SERVICES.some((service) => service === text);

const checkService = (service: string): Service => {
  if (isService(service)) return service;
  throw invalidInput('service', `The service is ${SERVICES.join(' or ')}, not '${service.slice(0, 40)}'`);
};

const checkFields = (service: Service, bucket: NewBucket): void => {
  const { needed, other } = FIELDS[service];
  for (const field of needed)
    if (bucket[field] === undefined || bucket[field] === '')
      throw invalidInput(field, `A bucket of service ${service} needs ${field}, ${SAMPLES[field]}`);
  for (const field of other)
    if (bucket[field] !== undefined && bucket[field] !== '')
      throw invalidInput(
        field,
        `A bucket of service ${service} has no ${field}; leave it out, or choose the other service`,
      );
};

const checkHost = (host: string, accountId: string): void => {
  if (!HOST.test(host))
    throw invalidInput(
      'host',
      `The host '${host.slice(0, 80)}' is not ${SAMPLES.host}: no scheme, no path, lower case`,
    );
  const [account, ...domain] = host.split('.');
  if (domain.length < 2 || domain.includes(''))
    throw invalidInput('host', `The host '${host}' is not ${SAMPLES.host}`);
  if (account !== accountId)
    throw invalidInput(
      'host',
      `The host '${host}' belongs to account '${account}', and the account id is '${accountId}'; both name the same account`,
    );
};

const checkEndpoint = (endpoint: string | undefined): void => {
  if (endpoint === undefined) return;
  if (!ENDPOINT.test(endpoint) || !URL.canParse(endpoint) || endpoint.length > MAX_ENDPOINT)
    throw invalidInput(
      'endpoint',
      'The endpoint of the store is an address such as https://s3.example.com: a scheme, a host and perhaps a port, without user, path or query',
    );
};

const checkBucketName = (bucketName: string): void => {
  if (!BUCKET_NAME.test(bucketName))
    throw invalidInput(
      'bucketName',
      `'${bucketName.slice(0, 80)}' is no name of a bucket: 3 to 63 lower-case letters, digits, '.' and '-', with a letter or digit at both ends`,
    );
};

/** Name of the ZipBucket. @throws AdministrationError InvalidInput */
export const resourceNameOf = ({ service, bucketName }: BucketRef): string => {
  const known = checkService(service);
  checkBucketName(bucketName);
  return bucketResourceName(known, bucketName);
};

/** The spec of a new bucket: every field that its service needs, and none of the other's. @throws AdministrationError InvalidInput */
export const checkNewBucket = (bucket: NewBucket): ZipBucketSpec => {
  const service = checkService(bucket.service);
  const { bucketName, region = '', host = '', accountId = '', endpoint, objectOptions } = bucket;
  checkBucketName(bucketName);
  checkFields(service, bucket);
  checkEndpoint(endpoint);
  const common = {
    service,
    bucketName,
    ...(endpoint && { endpoint }),
    ...(objectOptions && { objectOptions }),
  };
  if (service === 's3') {
    if (!REGION.test(region))
      throw invalidInput(
        'region',
        `'${region.slice(0, 80)}' is no region: lower-case letters, digits and '-', ${SAMPLES.region}`,
      );
    return { ...common, region };
  }
  if (!ACCOUNT_ID.test(accountId))
    throw invalidInput(
      'accountId',
      `'${accountId.slice(0, 80)}' is no account id: up to 64 letters, digits and '-'`,
    );
  checkHost(host, accountId);
  return { ...common, host, accountId };
};

/** Says nothing of the values. @throws AdministrationError InvalidInput */
export const checkCredentials = (credentials: BucketCredentials): void => {
  for (const field of ['accessKeyId', 'secretAccessKey'] as const)
    if (!CREDENTIAL.test(credentials[field]))
      throw invalidInput(
        field,
        credentials[field] === ''
          ? `The ${field} is empty; a bucket needs accessKeyId and secretAccessKey`
          : `The ${field} is not 1 to 512 visible characters without spaces; was a line break or a quote copied with it?`,
      );
};

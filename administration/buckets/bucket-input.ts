import { X509Certificate } from 'node:crypto';
import { bucketResourceName } from '#crds/api-group.ts';
import type { ZipBucketSpec } from '#crds/zip-bucket.ts';
import { SERVICES, type Service } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { toError } from '#runtime/errors.ts';
import { redactUrl } from '#runtime/log/redact.ts';
import { storeKindOf } from '#runtime/store/store-location.ts';
import { parseCertificates } from '#runtime/tls/certificates.ts';
import { invalidInput } from '../errors/administration-error.ts';
import { type ObjectOptionInput, readObjectOptions } from './object-options-input.ts';
import { checkWebIdentity, type WebIdentityInput } from './web-identity-input.ts';

/** Unvalidated settings from a form or from arguments. */
export interface BucketSettings {
  /** s3 only. */
  readonly region?: string | undefined;
  /** r2 only: `<account id>.<domain>`. */
  readonly host?: string | undefined;
  /** r2 only. */
  readonly accountId?: string | undefined;
  /** Base URL of an S3-compatible store. */
  readonly endpoint?: string | undefined;
  /** Certificate authorities of the store as PEM. Text between the certificates is ignored. */
  readonly caBundle?: string | undefined;
  readonly objectOptions?: ObjectOptionInput | undefined;
  /** Whether jobs may read files from the bucket. Only admins of the project may set it. */
  readonly readable?: boolean | undefined;
}

export interface NewBucket extends BucketSettings, BucketRef {
  /** A role instead of stored keys; s3 only. */
  readonly webIdentity?: WebIdentityInput | undefined;
}

export interface BucketCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary keys. */
  readonly sessionToken?: string;
}

/** Identifies a bucket as in the API. */
export interface BucketRef {
  readonly service: string;
  readonly bucketName: string;
}

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9-]{1,32}$/;
const HOST = /^[a-z0-9.-]{1,247}(:\d{1,5})?$/;
const ACCOUNT_ID = /^[A-Za-z0-9-]{1,64}$/;
const CREDENTIAL = /^[\x21-\x7e]{1,512}$/;
/** Providers set no limit; those of AWS have about 1,500 characters. */
const SESSION_TOKEN = /^[\x21-\x7e]{1,8192}$/;
const ENDPOINT = /^https?:\/\/[A-Za-z0-9.:[\]-]+\/?$/;
const MAX_ENDPOINT = 253;
const MAX_CA_BUNDLE = 16_384;

const FIELDS = {
  s3: { needed: ['region'], other: ['host', 'accountId'] },
  r2: { needed: ['host', 'accountId'], other: ['region'] },
} as const satisfies Record<Service, unknown>;

const SAMPLES = {
  region: 'such as eu-central-1',
  host: 'of the form <account id>.<domain>, such as 0123abcd.r2.cloudflarestorage.com',
  accountId: 'the account ID at the provider',
} as const;

function isService(text: string): text is Service {
  return SERVICES.some((service) => service === text);
}

function checkService(service: string): Service {
  if (isService(service)) return service;
  throw invalidInput('service', `Invalid service "${service.slice(0, 40)}". Use ${SERVICES.join(' or ')}`);
}

function checkFields(service: Service, bucket: NewBucket): void {
  const { needed, other } = FIELDS[service];
  for (const field of needed)
    if (bucket[field] === undefined || bucket[field] === '')
      throw invalidInput(
        field,
        `Missing ${field}: an ${service} bucket requires ${field}, ${SAMPLES[field]}`,
      );
  for (const field of other)
    if (bucket[field] !== undefined && bucket[field] !== '')
      throw invalidInput(
        field,
        `Unexpected ${field}: an ${service} bucket has no ${field}. Remove it, or choose the other service`,
      );
}

function checkHost(host: string, accountId: string): void {
  if (!HOST.test(host))
    throw invalidInput(
      'host',
      `Invalid host "${host.slice(0, 80)}". Use a host ${SAMPLES.host}, in lowercase, without scheme and path`,
    );
  const [account, ...domain] = host.split('.');
  if (domain.length < 2 || domain.includes(''))
    throw invalidInput('host', `Invalid host "${host}". Use a host ${SAMPLES.host}`);
  if (account !== accountId)
    throw invalidInput(
      'host',
      `Host "${host}" belongs to account "${account}", but the account ID is "${accountId}". Use the same account in both`,
    );
}

function checkEndpoint(endpoint: string | undefined): void {
  if (endpoint === undefined) return;
  if (!ENDPOINT.test(endpoint) || !URL.canParse(endpoint) || endpoint.length > MAX_ENDPOINT)
    throw invalidInput(
      'endpoint',
      `Invalid endpoint "${redactUrl(endpoint).slice(0, 80)}". Use a URL such as https://s3.example.com, with an optional port and without user, path or query`,
    );
}

/** Returns only the certificates, in the form that the definition of ZipBucket requires. */
function checkCaBundle(text: string): string {
  let certificates: readonly string[];
  try {
    certificates = parseCertificates(text, 'The CA bundle').map(({ pem }) =>
      new X509Certificate(pem).toString(),
    );
  } catch (error) {
    throw invalidInput('caBundle', toError(error).message);
  }
  const bundle = certificates.join('');
  if (bundle.length > MAX_CA_BUNDLE)
    throw invalidInput(
      'caBundle',
      `The CA bundle has ${bundle.length} bytes of certificates, and at most ${MAX_CA_BUNDLE} are allowed. Pass only the authorities of this store`,
    );
  return bundle;
}

function checkBucketName(bucketName: string): void {
  if (!BUCKET_NAME.test(bucketName))
    throw invalidInput(
      'bucketName',
      `Invalid bucket name "${bucketName.slice(0, 80)}". Use 3 to 63 lowercase letters, digits, "." and "-", with a letter or digit at both ends`,
    );
}

/** Name of the ZipBucket. @throws AdministrationError InvalidInput */
export function resourceNameOf({ service, bucketName }: BucketRef): string {
  const known = checkService(service);
  checkBucketName(bucketName);
  return bucketResourceName(known, bucketName);
}

/** The part of a spec that replaces stored keys. @throws AdministrationError InvalidInput */
export function roleOf(
  service: Service,
  webIdentity: WebIdentityInput,
): ZipBucketSpec['credentials'] & object {
  if (service === 'r2')
    throw invalidInput('webIdentity', 'R2 has no token service. Use an access key for this bucket');
  return { webIdentity: checkWebIdentity(webIdentity) };
}

function s3Place({ region = '' }: NewBucket): Pick<ZipBucketSpec, 'region'> {
  if (!REGION.test(region))
    throw invalidInput(
      'region',
      `Invalid region "${region.slice(0, 80)}". Use lowercase letters, digits and "-", ${SAMPLES.region}`,
    );
  return { region };
}

function r2Place({ host = '', accountId = '' }: NewBucket): Pick<ZipBucketSpec, 'host' | 'accountId'> {
  if (!ACCOUNT_ID.test(accountId))
    throw invalidInput(
      'accountId',
      `Invalid account ID "${accountId.slice(0, 80)}". Use up to 64 letters, digits and "-"`,
    );
  checkHost(host, accountId);
  return { host, accountId };
}

/** Builds the spec of a new bucket with exactly the fields of its service. @throws AdministrationError InvalidInput */
export function checkNewBucket(bucket: NewBucket): ZipBucketSpec {
  const service = checkService(bucket.service);
  const { bucketName, endpoint, caBundle, webIdentity, readable } = bucket;
  checkBucketName(bucketName);
  checkFields(service, bucket);
  checkEndpoint(endpoint);
  const store = { service, ...(endpoint && { endpoint }) };
  const objectOptions = readObjectOptions(bucket.objectOptions ?? {}, storeKindOf(store));
  return {
    ...store,
    bucketName,
    ...(caBundle !== undefined && { caBundle: checkCaBundle(caBundle) }),
    ...(webIdentity && { credentials: roleOf(service, webIdentity) }),
    ...(readable === true && { readable }),
    ...defined({ objectOptions }),
    ...(service === 's3' ? s3Place(bucket) : r2Place(bucket)),
  };
}

/** The message does not contain the values. @throws AdministrationError InvalidInput */
export function checkCredentials(credentials: BucketCredentials): void {
  for (const field of ['accessKeyId', 'secretAccessKey'] as const)
    if (!CREDENTIAL.test(credentials[field]))
      throw invalidInput(
        field,
        credentials[field] === ''
          ? `Missing ${field}: a bucket requires accessKeyId and secretAccessKey`
          : `Invalid ${field}. Use 1 to 512 visible ASCII characters without spaces, and check for a copied line break`,
      );
  if (credentials.sessionToken !== undefined && !SESSION_TOKEN.test(credentials.sessionToken))
    throw invalidInput(
      'sessionToken',
      'Invalid sessionToken. Use 1 to 8192 visible ASCII characters without spaces, and check for a copied line break',
    );
}

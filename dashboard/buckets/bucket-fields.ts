import type { BucketCredentials } from '#administration/buckets/bucket-input.ts';
import type { WebIdentityInput } from '#administration/buckets/web-identity-input.ts';
import type { Service } from '#crds/zip-job.ts';
import type { FormState } from '../ui/form.ts';

/** One field of a form, for `/ui/partials/field`. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly type?: 'password';
  readonly required?: true;
  readonly maxlength: number;
}

export const BUCKET_NAME: Field = {
  name: 'bucketName',
  label: 'Bucket name',
  hint: 'The bucket must already exist at your provider.',
  required: true,
  maxlength: 63,
};

export const KEY_FIELDS: readonly Field[] = [
  {
    name: 'accessKeyId',
    label: 'Access key ID',
    hint: 'Needs write access to the bucket.',
    required: true,
    maxlength: 512,
  },
  {
    name: 'secretAccessKey',
    label: 'Secret access key',
    hint: 'Stored in a Kubernetes Secret and never shown again.',
    type: 'password',
    required: true,
    maxlength: 512,
  },
];

export const ROLE_FIELDS: readonly Field[] = [
  {
    name: 'roleArn',
    label: 'Role ARN',
    hint: 'For example arn:aws:iam::123456789012:role/reports.',
    required: true,
    maxlength: 2048,
  },
  {
    name: 'audience',
    label: 'Audience',
    hint: 'One that your administrator allows in store.webIdentity.audiences, such as sts.amazonaws.com.',
    required: true,
    maxlength: 253,
  },
  {
    name: 'stsRegion',
    label: 'Region of the token service',
    hint: 'For AWS, such as eu-central-1.',
    maxlength: 32,
  },
  {
    name: 'stsEndpoint',
    label: 'Endpoint of the token service',
    hint: 'For other stores, such as https://minio.example.com. Replaces the region.',
    maxlength: 253,
  },
  {
    name: 'durationSeconds',
    label: 'Session duration',
    hint: 'In seconds, 900 to 43200. Default: 3600.',
    maxlength: 5,
  },
];

export const REGION: Field = {
  name: 'region',
  label: 'Region',
  hint: 'For example eu-central-1.',
  required: true,
  maxlength: 32,
};

export const R2_FIELDS: readonly Field[] = [
  {
    name: 'accountId',
    label: 'Account ID',
    hint: 'In the Cloudflare dashboard, on the overview page of R2.',
    required: true,
    maxlength: 64,
  },
  {
    name: 'host',
    label: 'Host',
    hint: 'Default: ACCOUNT_ID.r2.cloudflarestorage.com. For a bucket with the EU jurisdiction: ACCOUNT_ID.eu.r2.cloudflarestorage.com.',
    maxlength: 253,
  },
];

export const ENDPOINT: Field = {
  name: 'endpoint',
  label: 'Endpoint',
  hint: 'For example https://s3.example.com. Your administrator must allow its host.',
  required: true,
  maxlength: 253,
};

/** Its own name, because the form of a new bucket also has the region of AWS. */
export const OTHER_REGION: Field = {
  name: 'otherRegion',
  label: 'Region name',
  hint: 'Default: us-east-1, which most stores accept.',
  maxlength: 32,
};

/** Of stores for which the form leaves it empty. */
export const DEFAULT_OTHER_REGION = 'us-east-1';

export const CA_BUNDLE: Field = {
  name: 'caBundle',
  label: 'Certificate authorities',
  hint: 'PEM, only for a store whose certificate is signed by a private authority.',
  maxlength: 32_768,
};

/** The host of an account without a jurisdiction. */
export function hostOfAccount(accountId: string): string {
  return `${accountId.toLowerCase()}.r2.cloudflarestorage.com`;
}

function articleOf(label: string): 'a' | 'an' {
  return /^[AEIOU]/.test(label) ? 'an' : 'a';
}

/** One error for each required field that was left empty. */
export function emptyFields(form: URLSearchParams, fields: readonly Field[]): FormState['errors'] {
  return Object.fromEntries(
    fields
      .filter(({ name, required }) => required === true && (form.get(name) ?? '').trim() === '')
      .map(({ name, label }) => [
        name,
        `Enter ${articleOf(label)} ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
      ]),
  );
}

/** Passed straight to the operation, so that no form sends credentials back to the browser. */
export function credentialsIn(form: URLSearchParams): BucketCredentials {
  return {
    accessKeyId: (form.get('accessKeyId') ?? '').trim(),
    secretAccessKey: (form.get('secretAccessKey') ?? '').trim(),
  };
}

export function roleIn(values: FormState['values']): WebIdentityInput {
  const { roleArn = '', audience = '', stsRegion = '', stsEndpoint = '', durationSeconds = '' } = values;
  return { roleArn, audience, stsRegion, stsEndpoint, durationSeconds };
}

/** How a bucket gets its credentials. */
export const ACCESS_CHOICES = [
  { value: 'keys', text: 'Access key' },
  { value: 'role', text: 'Role, without stored keys' },
] as const;

/** The label of a provider, also of a bucket that exists. */
export function providerOf({
  service,
  endpoint,
}: {
  readonly service: Service;
  readonly endpoint: string | null;
}): string {
  if (endpoint !== null) return service === 's3' ? 'S3-compatible store' : 'R2-compatible store';
  return service === 's3' ? 'Amazon S3' : 'Cloudflare R2';
}

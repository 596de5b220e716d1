import type { BucketCredentials } from '#administration/bucket-input.ts';
import type { ObjectOptionInput } from '#administration/object-options-input.ts';
import type { Service } from '#crds/zip-job.ts';
import { defined } from '#runtime/optional.ts';
import type { FormState } from '../form.ts';

/** One field of a form, for `/partials/field`. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly type?: 'password';
  readonly maxlength: number;
}

export const CREDENTIAL_FIELDS: readonly Field[] = [
  {
    name: 'accessKeyId',
    label: 'Access key ID',
    hint: 'Needs write access to the bucket.',
    maxlength: 512,
  },
  {
    name: 'secretAccessKey',
    label: 'Secret access key',
    hint: 'Stored in a Kubernetes Secret and never shown again.',
    type: 'password',
    maxlength: 512,
  },
];

const BUCKET_NAME: Field = {
  name: 'bucketName',
  label: 'Bucket name',
  hint: 'The bucket must already exist at your provider.',
  maxlength: 63,
};

/** The fields of a bucket, all of them required. */
export const BUCKET_FIELDS: Readonly<Record<Service, readonly Field[]>> = {
  s3: [
    BUCKET_NAME,
    ...CREDENTIAL_FIELDS,
    { name: 'region', label: 'Region', hint: 'For example eu-central-1.', maxlength: 32 },
  ],
  r2: [
    BUCKET_NAME,
    {
      name: 'host',
      label: 'Host',
      hint: 'Format: <account id>.<domain>, for example 0123abcd.r2.cloudflarestorage.com.',
      maxlength: 253,
    },
    ...CREDENTIAL_FIELDS,
    {
      name: 'accountId',
      label: 'Account ID',
      hint: 'The ID of your account at the provider.',
      maxlength: 64,
    },
  ],
};

const ENCRYPTION_FIELDS: readonly Field[] = [
  {
    name: 'serverSideEncryption',
    label: 'Encryption',
    hint: 'AES256 (SSE-S3) or aws:kms (SSE-KMS). Empty: the default of the bucket.',
    maxlength: 16,
  },
  { name: 'kmsKeyId', label: 'KMS key', hint: 'ID, ARN or alias, for aws:kms.', maxlength: 2048 },
];

const COMMON_OPTION_FIELDS: readonly Field[] = [
  { name: 'storageClass', label: 'Storage class', hint: 'For example STANDARD_IA.', maxlength: 64 },
  { name: 'cacheControl', label: 'Cache-Control', hint: 'For example no-store.', maxlength: 256 },
  {
    name: 'metadata',
    label: 'Metadata',
    hint: 'For example team=sales, stage=live. Values cannot contain commas.',
    maxlength: 2048,
  },
];

/** Options of the objects, none of them required. */
export const OPTION_FIELDS: Readonly<Record<Service, readonly Field[]>> = {
  s3: [
    ...ENCRYPTION_FIELDS,
    ...COMMON_OPTION_FIELDS,
    { name: 'tags', label: 'Tags', hint: 'For example retention=30d, team=sales.', maxlength: 4096 },
    { name: 'acl', label: 'Canned ACL', hint: 'For example bucket-owner-full-control.', maxlength: 64 },
  ],
  r2: COMMON_OPTION_FIELDS,
};

/** The options that are filled in. */
export const optionsIn = (values: FormState['values']): ObjectOptionInput => {
  const filled = (name: string): string | undefined => values[name] || undefined;
  return defined({
    serverSideEncryption: filled('serverSideEncryption'),
    kmsKeyId: filled('kmsKeyId'),
    storageClass: filled('storageClass'),
    cacheControl: filled('cacheControl'),
    acl: filled('acl'),
    metadata: filled('metadata'),
    tags: filled('tags'),
  });
};

const articleOf = (label: string): 'a' | 'an' => (/^[AEIOU]/.test(label) ? 'an' : 'a');

/** One error for each field that was left empty. */
export const emptyFields = (form: URLSearchParams, fields: readonly Field[]): FormState['errors'] =>
  Object.fromEntries(
    fields
      .filter(({ name }) => (form.get(name) ?? '').trim() === '')
      .map(({ name, label }) => [
        name,
        `Enter ${articleOf(label)} ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
      ]),
  );

/** Passed straight to the operation, so that no form sends credentials back to the browser. */
export const credentialsIn = (form: URLSearchParams): BucketCredentials => ({
  accessKeyId: (form.get('accessKeyId') ?? '').trim(),
  secretAccessKey: (form.get('secretAccessKey') ?? '').trim(),
});

import type { BucketCredentials } from '#administration/bucket-input.ts';
import type { Service } from '#crds/zip-job.ts';
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
    label: 'Access Key ID',
    hint: 'Of a credential that may write into the bucket.',
    maxlength: 512,
  },
  {
    name: 'secretAccessKey',
    label: 'Secret Access Key',
    hint: 'It is stored in a Secret of the cluster and never shown again.',
    type: 'password',
    maxlength: 512,
  },
];

const BUCKET_NAME: Field = {
  name: 'bucketName',
  label: 'Bucket Name',
  hint: 'The bucket exists at the provider already; nothing is created there.',
  maxlength: 63,
};

/** The fields of a bucket, all of them required. */
export const BUCKET_FIELDS: Readonly<Record<Service, readonly Field[]>> = {
  s3: [
    BUCKET_NAME,
    ...CREDENTIAL_FIELDS,
    { name: 'region', label: 'Region', hint: 'Such as eu-central-1.', maxlength: 32 },
  ],
  r2: [
    BUCKET_NAME,
    {
      name: 'host',
      label: 'Host',
      hint: 'Of the form <account id>.<domain>, such as 0123abcd.r2.cloudflarestorage.com.',
      maxlength: 253,
    },
    ...CREDENTIAL_FIELDS,
    { name: 'accountId', label: 'Account ID', hint: 'Of your account at the provider.', maxlength: 64 },
  ],
};

/** What was left empty, all at once. */
export const emptyFields = (form: URLSearchParams, fields: readonly Field[]): FormState['errors'] =>
  Object.fromEntries(
    fields
      .filter(({ name }) => (form.get(name) ?? '').trim() === '')
      .map(({ name, label }) => [name, `${label} is needed`]),
  );

/** Straight to the operation: they are in no form that is shown again. */
export const credentialsIn = (form: URLSearchParams): BucketCredentials => ({
  accessKeyId: (form.get('accessKeyId') ?? '').trim(),
  secretAccessKey: (form.get('secretAccessKey') ?? '').trim(),
});

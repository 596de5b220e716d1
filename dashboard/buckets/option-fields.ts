import type { ObjectOptionInput } from '#administration/buckets/object-options-input.ts';
import { ENCRYPTIONS, type ObjectOptions } from '#crds/zip-bucket.ts';
import { ON_CONFLICTS, type Service } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { FormState } from '../ui/form.ts';
import type { Field } from './bucket-fields.ts';

/** A field of the object options: a line of text, several lines, or a choice. */
export interface OptionField extends Field {
  readonly kind: 'text' | 'lines' | 'choice';
  readonly options?: readonly { readonly value: string; readonly text: string }[];
}

function text(name: string, label: string, rest: Pick<Field, 'hint' | 'maxlength'>): OptionField {
  return {
    name,
    label,
    ...rest,
    kind: 'text',
  };
}

function lines(name: string, label: string, rest: Pick<Field, 'hint' | 'maxlength'>): OptionField {
  return {
    name,
    label,
    ...rest,
    kind: 'lines',
  };
}

function choice(
  name: string,
  label: string,
  { hint = '', options }: { readonly hint?: string; readonly options: OptionField['options'] & object },
): OptionField {
  return { name, label, hint, maxlength: 0, kind: 'choice', options };
}

const BUCKET_DEFAULT = { value: '', text: 'Default of the bucket' } as const;

const S3_ONLY: readonly OptionField[] = [
  choice('serverSideEncryption', 'Encryption', {
    options: [
      BUCKET_DEFAULT,
      { value: ENCRYPTIONS[0], text: 'AES256 (SSE-S3)' },
      { value: ENCRYPTIONS[1], text: 'aws:kms (SSE-KMS)' },
    ],
  }),
  text('kmsKeyId', 'KMS key', { hint: 'ID, ARN or alias, for aws:kms.', maxlength: 2048 }),
  choice('bucketKeyEnabled', 'Bucket key', {
    hint: 'For aws:kms: fewer requests to KMS.',
    options: [BUCKET_DEFAULT, { value: 'yes', text: 'Use it' }, { value: 'no', text: 'Do not use it' }],
  }),
  lines('tags', 'Tags', { hint: 'One name=value per line, such as retention=30d.', maxlength: 4096 }),
  text('acl', 'Canned ACL', { hint: 'For example bucket-owner-full-control.', maxlength: 64 }),
];

const COMMON: readonly OptionField[] = [
  text('storageClass', 'Storage class', { hint: 'For example STANDARD_IA.', maxlength: 64 }),
  text('cacheControl', 'Cache-Control', { hint: 'For example no-store.', maxlength: 1024 }),
  text('contentDisposition', 'Content-Disposition', { hint: 'For example attachment.', maxlength: 1024 }),
  lines('metadata', 'Metadata', { hint: 'One name=value per line, such as team=sales.', maxlength: 4096 }),
  choice('onConflict', 'If an object exists at the key', {
    options: [
      { value: '', text: 'Replace it' },
      { value: ON_CONFLICTS[1], text: 'Fail the job' },
    ],
  }),
];

/** R2 encrypts every object itself, and has neither tags nor ACLs. A bucket with an endpoint is in a store of its own kind. */
export function optionFieldsOf(
  service: Service,
  endpoint: string | null = null,
): { readonly common: readonly OptionField[]; readonly s3Only: readonly OptionField[] } {
  return {
    common: COMMON,
    s3Only: service === 'r2' && endpoint === null ? [] : S3_ONLY,
  };
}

export const OPTION_NAMES: readonly string[] = [...COMMON, ...S3_ONLY].map(({ name }) => name);

function isOn(value: string | undefined): boolean | undefined {
  return value ? value === 'yes' : undefined;
}

/** The options that are filled in, of the fields that the bucket has. */
export function optionsIn(
  values: FormState['values'],
  { common, s3Only }: ReturnType<typeof optionFieldsOf>,
): ObjectOptionInput {
  const names = new Set([...common, ...s3Only].map(({ name }) => name));
  function filled(name: string): string | undefined {
    return (names.has(name) && values[name]) || undefined;
  }
  return defined({
    serverSideEncryption: filled('serverSideEncryption'),
    kmsKeyId: filled('kmsKeyId'),
    bucketKeyEnabled: isOn(filled('bucketKeyEnabled')),
    storageClass: filled('storageClass'),
    cacheControl: filled('cacheControl'),
    contentDisposition: filled('contentDisposition'),
    acl: filled('acl'),
    metadata: filled('metadata')?.split(/\r?\n/),
    tags: filled('tags')?.split(/\r?\n/),
    onConflict: ON_CONFLICTS.find((one) => one === filled('onConflict')),
  });
}

function linesOf(pairs: Readonly<Record<string, string>> = {}): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

/** The values of the fields for a bucket that exists. */
export function optionValues(options: ObjectOptions): FormState['values'] {
  const { metadata, tags, bucketKeyEnabled, onConflict, ...texts } = options;
  return {
    ...texts,
    metadata: linesOf(metadata),
    tags: linesOf(tags),
    bucketKeyEnabled: bucketKeyEnabled === undefined ? '' : bucketKeyEnabled ? 'yes' : 'no',
    onConflict: onConflict === 'fail' ? onConflict : '',
  };
}

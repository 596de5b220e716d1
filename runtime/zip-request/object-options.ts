/** The options of an object, of a bucket or of a job. Everything that reads them applies the same rules. */
import type { ObjectOptions } from '#crds/zip-bucket.ts';
import type { ChosenObjectOptions } from '#crds/zip-job.ts';
import { defined } from '../collections/optional.ts';
import type { StoreKind } from '../store/store-location.ts';

/** Lengths are in characters of ASCII. */
export const OBJECT_LIMITS = {
  headerLength: 1024,
  storageClassLength: 64,
  /** Of all names and values: S3 allows 2 KiB, of which our own metadata needs some. */
  metadataBytes: 1920,
  metadataEntries: 32,
  tags: 10,
  tagNameLength: 128,
  tagValueLength: 256,
} as const;

/** What stores support. Undefined: not known, the store decides. */
const STORAGE_CLASSES: Readonly<Record<StoreKind, readonly string[] | undefined>> = {
  s3: [
    'STANDARD',
    'REDUCED_REDUNDANCY',
    'STANDARD_IA',
    'ONEZONE_IA',
    'INTELLIGENT_TIERING',
    'GLACIER_IR',
    'GLACIER',
    'DEEP_ARCHIVE',
  ],
  r2: ['STANDARD', 'STANDARD_IA'],
  custom: undefined,
};

const CANNED_ACLS: readonly string[] = [
  'private',
  'public-read',
  'public-read-write',
  'authenticated-read',
  'aws-exec-read',
  'bucket-owner-read',
  'bucket-owner-full-control',
];

/** A header without spaces around its value, which stores and proxies would remove. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const METADATA_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Metadata of the service: it identifies the attempt that wrote an object. */
const OWN_PREFIX = 'zip-';
/** Types that no browser shows or runs: an archive with any other type could contain scripts for its host. */
const CONTENT_TYPE =
  /^application\/(?:zip|octet-stream|x-zip-compressed|vnd\.[A-Z0-9!#$&^_.-]+\+zip)(?:; ?[A-Z0-9-]+=[A-Z0-9_.-]+)*$/i;
const STORAGE_CLASS = /^[A-Z][A-Z0-9_]*$/;
const KMS_KEY_ID = /^[A-Za-z0-9:/_.-]{1,2048}$/;
const TAG_TEXT = /^[A-Za-z0-9 +\-=._:/@]*$/;

function headerProblem(value: string): string | undefined {
  if (value.length > OBJECT_LIMITS.headerLength)
    return `is longer than ${OBJECT_LIMITS.headerLength} characters`;
  return HEADER_VALUE.test(value) ? undefined : 'must be printable ASCII without leading or trailing spaces';
}

function metadataNameProblem(name: string): string | undefined {
  if (!METADATA_NAME.test(name))
    return 'has an invalid name: use lowercase letters and digits, with "-" between them';
  return name.startsWith(OWN_PREFIX)
    ? `has a name that starts with "${OWN_PREFIX}", which is reserved`
    : undefined;
}

function metadataProblem(metadata: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(metadata);
  if (entries.length > OBJECT_LIMITS.metadataEntries)
    return `has more than ${OBJECT_LIMITS.metadataEntries} entries`;
  const bytes = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name + value), 0);
  if (bytes > OBJECT_LIMITS.metadataBytes)
    return `has more than ${OBJECT_LIMITS.metadataBytes} bytes of names and values`;
  for (const [name, value] of entries) {
    const problem = metadataNameProblem(name);
    if (problem !== undefined) return problem;
    if (!HEADER_VALUE.test(value))
      return 'has an invalid value: use printable ASCII without leading or trailing spaces';
  }
  return undefined;
}

function tagsProblem(tags: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(tags);
  if (entries.length > OBJECT_LIMITS.tags) return `has more than ${OBJECT_LIMITS.tags} tags`;
  for (const [name, value] of entries) {
    if (name === '' || name.length > OBJECT_LIMITS.tagNameLength || !TAG_TEXT.test(name))
      return `has an invalid name: use 1 to ${OBJECT_LIMITS.tagNameLength} ASCII letters, digits, spaces and + - = . _ : / @`;
    if (/^aws:/i.test(name)) return 'has a name that starts with "aws:", which is reserved';
    if (value.length > OBJECT_LIMITS.tagValueLength || !TAG_TEXT.test(value))
      return `has an invalid value: use at most ${OBJECT_LIMITS.tagValueLength} ASCII letters, digits, spaces and + - = . _ : / @`;
  }
  return undefined;
}

function contentTypeProblem(value: string): string | undefined {
  return CONTENT_TYPE.test(value)
    ? undefined
    : 'must be application/zip, application/octet-stream, application/x-zip-compressed or application/vnd.NAME+zip';
}

function storageClassProblem(value: string): string | undefined {
  return STORAGE_CLASS.test(value)
    ? undefined
    : 'is not a valid name of a storage class, such as STANDARD_IA';
}

function aclProblem(value: string): string | undefined {
  return CANNED_ACLS.includes(value) ? undefined : `must be one of ${CANNED_ACLS.join(', ')}`;
}

/** For the options of SSE-KMS. */
function withoutKms({ serverSideEncryption }: ObjectOptions): string | undefined {
  return serverSideEncryption === 'aws:kms' ? undefined : 'requires serverSideEncryption aws:kms';
}

function kmsKeyProblem(value: string): string | undefined {
  return KMS_KEY_ID.test(value) ? undefined : 'is not the ID, ARN or alias of a KMS key';
}

export interface ObjectOptionsFault<F extends string = keyof ChosenObjectOptions> {
  readonly field: F;
  /** The end of a sentence. Contains no name or value of the caller. */
  readonly problem: string;
}

function check<T>(value: T | undefined, problemOf: (value: T) => string | undefined): string | undefined {
  return value === undefined ? undefined : problemOf(value);
}

function firstFault<F extends string>(
  problems: readonly (readonly [F, string | undefined])[],
): ObjectOptionsFault<F> | undefined {
  for (const [field, problem] of problems) if (problem !== undefined) return { field, problem };
  return undefined;
}

/** The first option that no store accepts, or that would forge the metadata of the service. Pure. */
export function findObjectFault(options: ChosenObjectOptions): ObjectOptionsFault | undefined {
  return firstFault([
    ['contentDisposition', check(options.contentDisposition, headerProblem)],
    ['contentType', check(options.contentType, contentTypeProblem)],
    ['cacheControl', check(options.cacheControl, headerProblem)],
    ['storageClass', check(options.storageClass, storageClassProblem)],
    ['metadata', check(options.metadata, metadataProblem)],
    ['tags', check(options.tags, tagsProblem)],
  ]);
}

/** What R2 refuses. The definition of ZipBucket has the same rules in the same words. */
const R2_PROBLEMS = {
  acl: 'is not supported by R2; remove it',
  serverSideEncryption: 'is not supported by R2, which encrypts every object itself; remove it',
  tags: 'is not supported by R2; use metadata instead',
} as const;

function unsupportedBy(kind: StoreKind, option: keyof typeof R2_PROBLEMS) {
  return (): string | undefined => (kind === 'r2' ? R2_PROBLEMS[option] : undefined);
}

function unsupportedClass(storageClass: string, kind: StoreKind): string | undefined {
  const classes = STORAGE_CLASSES[kind];
  return classes?.includes(storageClass) === false
    ? `is not supported by ${kind.toUpperCase()}; use one of ${classes.join(', ')}`
    : undefined;
}

/** The first option that this kind of store is known not to support. Pure. */
export function findUnsupported(
  { storageClass, tags }: ChosenObjectOptions,
  kind: StoreKind,
): ObjectOptionsFault | undefined {
  return firstFault([
    ['storageClass', check(storageClass, (value) => unsupportedClass(value, kind))],
    ['tags', check(tags, unsupportedBy(kind, 'tags'))],
  ]);
}

/** The first option of a bucket that is invalid, or that its kind of store is known not to support. Pure. */
export function findBucketFault(
  options: ObjectOptions,
  kind: StoreKind,
): ObjectOptionsFault<string> | undefined {
  return (
    firstFault([
      ['acl', check(options.acl, unsupportedBy(kind, 'acl'))],
      [
        'serverSideEncryption',
        check(options.serverSideEncryption, unsupportedBy(kind, 'serverSideEncryption')),
      ],
      ['acl', check(options.acl, aclProblem)],
      ['kmsKeyId', check(options.kmsKeyId, (value) => withoutKms(options) ?? kmsKeyProblem(value))],
      ['bucketKeyEnabled', check(options.bucketKeyEnabled, () => withoutKms(options))],
    ]) ??
    findObjectFault(options) ??
    findUnsupported(options, kind)
  );
}

function mergeTexts(
  under: Readonly<Record<string, string>> | undefined,
  over: Readonly<Record<string, string>> | undefined,
) {
  return under || over ? { ...under, ...over } : undefined;
}

/** The options of `over` take precedence. Metadata and tags are merged by name. Pure. */
export function mergeObjectOptions<T extends ChosenObjectOptions>(
  under: T,
  over: ChosenObjectOptions,
): T & ChosenObjectOptions {
  return {
    ...under,
    ...over,
    ...defined({
      metadata: mergeTexts(under.metadata, over.metadata),
      tags: mergeTexts(under.tags, over.tags),
    }),
  };
}

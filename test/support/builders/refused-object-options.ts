/** Object options of ZipBuckets that the definition refuses or accepts. */
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { Service } from '#crds/zip-job.ts';
import type { Manifest } from '#tools/local-cluster/cluster-types.ts';

const PLACES = {
  s3: { region: 'eu-west-1' },
  r2: { host: 'abc.r2.cloudflarestorage.com', accountId: 'abc' },
} as const satisfies Record<Service, object>;

function bucketWith(service: Service, objectOptions: object, more: object = {}) {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipBucket',
    metadata: { name: `${service}-abc` },
    spec: { service, bucketName: 'abc', ...PLACES[service], objectOptions, ...more },
  };
}

const KMS = { serverSideEncryption: 'aws:kms', kmsKeyId: 'alias/a', bucketKeyEnabled: true };
const TAGS = { team: 'sales' };
const EVERYTHING = {
  ...KMS,
  tags: TAGS,
  metadata: { stage: 'live' },
  acl: 'bucket-owner-full-control',
  storageClass: 'GLACIER_IR',
  cacheControl: 'no-store',
};

export const REFUSED_OBJECT_OPTIONS: readonly [what: string, bucket: Manifest, message: string][] = [
  [
    'an unknown object option (U15)',
    bucketWith('s3', { tagging: 'x' }),
    'unknown field "spec.objectOptions.tagging"',
  ],
  ...(
    [
      ['acl', { acl: 'private' }],
      ['serverSideEncryption', { serverSideEncryption: 'AES256' }],
      ['serverSideEncryption', KMS],
      ['tags', { tags: TAGS }],
      ['storageClass', { storageClass: 'GLACIER' }],
    ] as const
  ).map(([field, options]): [string, Manifest, string] => [
    `an r2 bucket with ${JSON.stringify(options)}, and names the field (C7)`,
    bucketWith('r2', options),
    `spec.objectOptions.${field}: Invalid value: objectOptions.${field} is not supported by R2`,
  ]),
  [
    'a KMS key without SSE-KMS',
    bucketWith('s3', { kmsKeyId: 'a', serverSideEncryption: 'AES256' }),
    'kmsKeyId requires serverSideEncryption aws:kms',
  ],
  [
    'a bucket key without SSE-KMS',
    bucketWith('s3', { bucketKeyEnabled: true }),
    'bucketKeyEnabled requires serverSideEncryption aws:kms',
  ],
  ['another encryption', bucketWith('s3', { serverSideEncryption: 'none' }), 'Unsupported value: "none"'],
  [
    'reserved metadata',
    bucketWith('s3', { metadata: { 'zip-attempt': 'x' } }),
    'has a name that starts with "zip-", which is reserved',
  ],
  ['a metadata name with a capital', bucketWith('s3', { metadata: { Team: 'x' } }), 'has an invalid name'],
  [
    'a metadata value with a line break',
    bucketWith('s3', { metadata: { team: 'x\ny' } }),
    'spec.objectOptions.metadata.team',
  ],
  ['a reserved tag', bucketWith('s3', { tags: { 'aws:a': '1' } }), 'starts with "aws:", which is reserved'],
  [
    'eleven tags',
    bucketWith('s3', { tags: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`t${n}`, ''])) }),
    'must have at most 10 items',
  ],
  [
    'a tag whose name is too long',
    bucketWith('s3', { tags: { ['t'.repeat(129)]: '1' } }),
    'objectOptions.tags has an invalid name',
  ],
  ['a tag with a line break', bucketWith('s3', { tags: { a: 'x\ny' } }), 'spec.objectOptions.tags.a'],
];

export const ACCEPTED_OBJECT_OPTIONS: readonly (readonly [what: string, bucket: Manifest])[] = [
  ['an s3 bucket with every object option', bucketWith('s3', EVERYTHING)],
  [
    'an r2 bucket with what R2 supports',
    bucketWith('r2', {
      storageClass: 'STANDARD_IA',
      metadata: { stage: 'live' },
      cacheControl: 'no-store',
      contentDisposition: 'attachment',
    }),
  ],
  [
    'an r2 bucket at an endpoint of its own with every object option',
    bucketWith('r2', EVERYTHING, { endpoint: 'https://s3.example.com' }),
  ],
];

/** The permissions that archives need at an S3 store, for the test of a bucket and for the IAM policy in its settings. */
import type { ObjectOptions } from '#crds/zip-bucket.ts';

export interface BucketPermission {
  /** IAM actions. They have one purpose, and the test of a bucket tries them together. */
  readonly actions: readonly string[];
  /** The resource of an IAM policy that grants them. */
  readonly on: 'objects' | 'bucket' | 'key';
  /** What zipjobs does with it. */
  readonly use: string;
  /** Without a required permission there is no archive, or none of files in the bucket. The others are for cleaning up after failures. */
  readonly isRequired: boolean;
}

function permission(
  action: string,
  { on = 'objects', isRequired = false, use }: Partial<BucketPermission> & { readonly use: string },
): BucketPermission {
  return { actions: [action], on, use, isRequired };
}

const TO_WRITE = permission('s3:PutObject', {
  isRequired: true,
  use: 'Start, write and complete the upload',
});
const TO_CHECK = permission('s3:GetObject', {
  use: 'Check whether an archive exists after an interrupted upload',
});
/** Of a bucket that is readable. */
const TO_READ = permission('s3:GetObject', {
  isRequired: true,
  use: 'Read files of jobs, and check whether an archive exists after an interrupted upload',
});

/** For every bucket, to clean up. */
const OF_EVERY_BUCKET: readonly BucketPermission[] = [
  permission('s3:AbortMultipartUpload', { use: 'Remove the parts of failed and cancelled jobs' }),
  permission('s3:ListMultipartUploadParts', {
    use: 'Continue the upload of an archive whose pod was lost, and verify that an upload was aborted',
  }),
  permission('s3:ListBucket', {
    on: 'bucket',
    use: 'Check whether an archive exists after an interrupted upload',
  }),
  permission('s3:ListBucketMultipartUploads', {
    on: 'bucket',
    use: 'Find uploads that an interrupted pod could not record',
  }),
];

const OF_TAGS = permission('s3:PutObjectTagging', { isRequired: true, use: 'Set the tags of the bucket' });
const OF_ACL = permission('s3:PutObjectAcl', { isRequired: true, use: 'Set the canned ACL of the bucket' });
const OF_KMS: BucketPermission = {
  actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
  on: 'key',
  use: 'Encrypt with the KMS key of the bucket (SSE-KMS)',
  isRequired: true,
};

/** What a bucket with these options needs, in the order of the IAM policy. Jobs can have files in a readable one. */
export function bucketPermissions(
  { tags, acl, serverSideEncryption }: Pick<ObjectOptions, 'tags' | 'acl' | 'serverSideEncryption'>,
  isReadable: boolean,
): readonly BucketPermission[] {
  return [
    TO_WRITE,
    isReadable ? TO_READ : TO_CHECK,
    ...OF_EVERY_BUCKET,
    ...(Object.keys(tags ?? {}).length === 0 ? [] : [OF_TAGS]),
    ...(acl === undefined ? [] : [OF_ACL]),
    ...(serverSideEncryption === 'aws:kms' ? [OF_KMS] : []),
  ];
}

export interface PolicyBucket {
  readonly bucketName: string;
  readonly region?: string | undefined;
  readonly objectOptions?: ObjectOptions;
}

/** China and the regions of the US government have ARNs of their own. */
function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

/** IAM compares the ARN of a key, never an ID or alias. */
const KEY_ARN = /^arn:[a-z-]+:kms:[a-z0-9-]+:\d+:key\/[A-Za-z0-9-]+$/;

/**
 * The smallest IAM policy for a bucket, as JSON text of two spaces per level. A KMS key that the bucket names by its ID or
 * alias appears as `KEY_ID`, because only its ARN works.
 */
export function iamPolicy({ bucketName, region = '', objectOptions = {} }: PolicyBucket): string {
  const partition = partitionOf(region);
  const bucket = `arn:${partition}:s3:::${bucketName}`;
  const { kmsKeyId = '' } = objectOptions;
  const key = KEY_ARN.test(kmsKeyId)
    ? kmsKeyId
    : `arn:${partition}:kms:${region === '' ? 'REGION' : region}:ACCOUNT_ID:key/KEY_ID`;
  const resources = { objects: `${bucket}/*`, bucket, key } as const;
  const all = bucketPermissions(objectOptions, false);
  const statements = (['objects', 'bucket', 'key'] as const).flatMap((on) => {
    const actions = all.filter((one) => one.on === on).flatMap((one) => one.actions);
    return actions.length === 0 ? [] : [{ Effect: 'Allow', Action: actions, Resource: resources[on] }];
  });
  return JSON.stringify({ Version: '2012-10-17', Statement: statements }, undefined, 2);
}

/** The sentence of a condition that names missing permissions, after a space; empty without any. */
export function missingText(missing: readonly string[]): string {
  return missing.length === 0 ? '' : ` The credentials lack ${missing.join(', ')}.`;
}

const ACTION = /\b(?:s3|kms):[A-Za-z]+/g;

/** The actions in a text of missingText, also at the end of a longer message. */
export function missingIn(message: string): readonly string[] {
  const [, list = ''] = message.split('The credentials lack ');
  return list.match(ACTION) ?? [];
}

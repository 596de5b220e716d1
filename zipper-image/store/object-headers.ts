/** The options of an object as the request that starts its upload contains them. Parts and Complete need none. */
import type { CreateMultipartUploadCommandInput, ObjectCannedACL, StorageClass } from '@aws-sdk/client-s3';
import type { ChosenObjectOptions } from '#crds/zip-job.ts';
import { ATTEMPT_METADATA_KEY } from '#crds/zipper-contract.ts';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import { mergeObjectOptions } from '#runtime/zip-request/object-options.ts';

/** The options of a bucket that need a permission in addition to `s3:PutObject`. */
export const OPTION_PERMISSIONS = {
  acl: 's3:PutObjectAcl',
  tags: 's3:PutObjectTagging',
  serverSideEncryption: 'kms:GenerateDataKey',
} as const;
export type PermittedOption = keyof typeof OPTION_PERMISSIONS;

/** Those that a bucket sets. SSE-S3 needs no permission. */
export function permittedOptions(bucket: TaskBucket): readonly PermittedOption[] {
  return [
    ...(bucket.acl === undefined ? [] : (['acl'] as const)),
    ...(bucket.tags === undefined ? [] : (['tags'] as const)),
    ...(bucket.serverSideEncryption === 'aws:kms' ? (['serverSideEncryption'] as const) : []),
  ];
}

/** The bucket as if these options were not set. */
export function withoutOptions(bucket: TaskBucket, options: readonly PermittedOption[]): TaskBucket {
  const dropped = new Set<string>(options);
  if (dropped.has('serverSideEncryption')) dropped.add('kmsKeyId').add('bucketKeyEnabled');
  return Object.fromEntries(Object.entries(bucket).filter(([name]) => !dropped.has(name))) as TaskBucket;
}

function toTagging(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&');
}

export function objectHeaders(bucket: TaskBucket, chosen: ChosenObjectOptions, attempt: string) {
  const options = mergeObjectOptions(bucket, chosen);
  return {
    ContentType: options.contentType ?? 'application/zip',
    // Ours is last, so that no other replaces it.
    Metadata: { ...options.metadata, [ATTEMPT_METADATA_KEY]: attempt },
    ...defined({
      StorageClass: options.storageClass as StorageClass | undefined,
      CacheControl: options.cacheControl,
      ContentDisposition: options.contentDisposition,
      ACL: options.acl as ObjectCannedACL | undefined,
      Tagging: toTagging(options.tags ?? {}) || undefined,
      ServerSideEncryption: options.serverSideEncryption,
      SSEKMSKeyId: options.kmsKeyId,
      BucketKeyEnabled: options.bucketKeyEnabled,
    }),
  } satisfies Partial<CreateMultipartUploadCommandInput>;
}

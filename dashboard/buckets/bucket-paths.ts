import type { BucketRef } from '#administration/buckets/bucket-input.ts';
import type { Crumb, PageRequest } from '../http/page.ts';
import { FORMAT } from '../ui/format.ts';
import { SECTION_LABELS } from '../ui/words.ts';

export const BUCKETS_PATH = '/projects/:project/buckets';
export const BUCKET_PATH = `${BUCKETS_PATH}/:service/:bucket`;

export function bucketsHref(namespace: string): string {
  return FORMAT.path('projects', namespace, 'buckets');
}

/** Path of the page of a bucket, or of a page below it. */
export function bucketHref(
  namespace: string,
  { service, bucketName }: BucketRef,
  ...below: readonly string[]
): string {
  return FORMAT.path('projects', namespace, 'buckets', service, bucketName, ...below);
}

/** The bucket that the path of the request names. */
export function bucketRefOf({ params }: Pick<PageRequest, 'params'>): BucketRef {
  return {
    service: params['service'] ?? '',
    bucketName: params['bucket'] ?? '',
  };
}

/** Breadcrumbs of the page of a bucket; of a page below it, with the bucket. */
export function bucketTrail(namespace: string, bucket?: BucketRef): readonly Crumb[] {
  return [
    { label: SECTION_LABELS.buckets, href: bucketsHref(namespace) },
    ...(bucket === undefined ? [] : [{ label: bucket.bucketName, href: bucketHref(namespace, bucket) }]),
  ];
}

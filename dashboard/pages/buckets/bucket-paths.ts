import type { BucketRef } from '#administration/bucket-input.ts';
import { FORMAT } from '../../format.ts';
import type { Crumb, PageRequest } from '../../page.ts';
import { SECTION_LABELS } from '../../words.ts';

export const BUCKETS_PATH = '/projects/:project/buckets';
export const BUCKET_PATH = `${BUCKETS_PATH}/:service/:bucket`;

export const bucketsHref = (namespace: string): string => FORMAT.path('projects', namespace, 'buckets');

/** Path of the page of a bucket, or of a page below it. */
export const bucketHref = (
  namespace: string,
  { service, bucketName }: BucketRef,
  ...below: readonly string[]
): string => FORMAT.path('projects', namespace, 'buckets', service, bucketName, ...below);

/** The bucket that the path of the request names. */
export const bucketRefOf = ({ params }: Pick<PageRequest, 'params'>): BucketRef => ({
  service: params['service'] ?? '',
  bucketName: params['bucket'] ?? '',
});

/** Breadcrumbs of the page of a bucket; of a page below it, with the bucket. */
export const bucketTrail = (namespace: string, bucket?: BucketRef): readonly Crumb[] => [
  { label: SECTION_LABELS.buckets, href: bucketsHref(namespace) },
  ...(bucket === undefined ? [] : [{ label: bucket.bucketName, href: bucketHref(namespace, bucket) }]),
];

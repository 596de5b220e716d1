import type { BucketRef } from '#administration/bucket-input.ts';
import { FORMAT } from '../../format.ts';
import type { PageRequest } from '../../page.ts';

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

/**
 * URLs of objects in the ZipBuckets of a project: `s3://BUCKET/KEY` and `r2://BUCKET/KEY`. They are no URLs of RFC 3986: everything
 * after the slash that follows the bucket name is the key, exactly as written. `%`, `?`, `#` and spaces are characters of it, so no
 * key needs an encoding.
 */
import { bucketResourceName } from '#crds/api-group.ts';
import type { FileEntry, Service } from '#crds/zip-job.ts';
import { keyProblem } from './key-problem.ts';

export interface BucketObject {
  readonly service: Service;
  /** Name at the provider. */
  readonly bucketName: string;
  readonly key: string;
}

const BUCKET_URL = /^(s3|r2):\/\/([^/]*)(?:\/(.*))?$/s;
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** The limit of S3, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;

function partsOf(url: string): BucketObject | undefined {
  const [, service, bucketName = '', key = ''] = BUCKET_URL.exec(url) ?? [];
  return service === 's3' || service === 'r2' ? { service, bucketName, key } : undefined;
}

/** Whether the URL names an object of a bucket, also if its bucket or key is invalid. */
export function isBucketUrl(url: string): boolean {
  return BUCKET_URL.test(url);
}

/** Describes an invalid URL of an object, as the end of a sentence that contains nothing of it; undefined if it is valid. */
export function bucketUrlProblem(url: string): string | undefined {
  const parts = partsOf(url);
  if (!parts) return 'is not the URL of an object in a bucket: write s3://BUCKET/KEY or r2://BUCKET/KEY';
  const { service, bucketName, key } = parts;
  if (!BUCKET_NAME.test(bucketName))
    return `has an invalid bucket name: write ${service}://BUCKET/KEY, without user name, port and query`;
  // Behind a proxy that merges slashes, a key of nothing else would be a list of the bucket.
  if (/^\/*$/.test(key))
    return `has no key: write the key of the object after the bucket name, as in ${service}://BUCKET/KEY`;
  const problem = keyProblem(key, MAX_KEY_BYTES);
  return problem === undefined
    ? undefined
    : `has a key that cannot be requested: it ${problem}. Copy the object to another key`;
}

/** The object that a URL names; undefined for any other URL, and for an invalid one. */
export function bucketObjectOf(url: string): BucketObject | undefined {
  return isBucketUrl(url) && bucketUrlProblem(url) === undefined ? partsOf(url) : undefined;
}

/** Name of the ZipBucket of an object. */
export function zipBucketOf({ service, bucketName }: Pick<BucketObject, 'service' | 'bucketName'>): string {
  return bucketResourceName(service, bucketName);
}

/** A bucket that a file list names, and the position of the first file that does. */
export interface SourceBucketUse extends Pick<BucketObject, 'service' | 'bucketName'> {
  readonly zipBucket: string;
  readonly index: number;
}

/** The ZipBuckets of the files, sorted by name, as a ZipJob lists them. */
export function sourceBucketsOf(files: readonly Pick<FileEntry, 'url'>[]): readonly SourceBucketUse[] {
  const found = new Map<string, SourceBucketUse>();
  for (const [index, { url }] of files.entries()) {
    const object = bucketObjectOf(url);
    if (!object) continue;
    const { service, bucketName } = object;
    const zipBucket = zipBucketOf(object);
    if (!found.has(zipBucket)) found.set(zipBucket, { service, bucketName, zipBucket, index });
  }
  return [...found.values()].toSorted((a, b) => (a.zipBucket < b.zipBucket ? -1 : 1));
}

/** `spec.sourceBuckets` of a ZipJob with these buckets; no field without one. */
export function sourceBucketsField(buckets: readonly SourceBucketUse[]) {
  return buckets.length > 0 ? { sourceBuckets: buckets.map(({ zipBucket }) => zipBucket) } : {};
}

import type { BucketRef } from '#administration/buckets/bucket-input.ts';
import type { Bucket } from '#administration/buckets/bucket-view.ts';

export interface BucketChoice {
  /** `<service>/<bucket name>`. */
  readonly value: string;
  readonly text: string;
}

export function bucketChoice({ service, bucketName }: BucketRef): string {
  return `${service}/${bucketName}`;
}

export function chosenBucket(choice: string): BucketRef {
  const at = choice.indexOf('/');
  return { service: choice.slice(0, Math.max(0, at)), bucketName: choice.slice(at + 1) };
}

function isReady({ lastTest }: Bucket): boolean {
  return lastTest?.ok === true;
}

function textOf(bucket: Bucket): string {
  const { lastTest } = bucket;
  const state = lastTest === null ? 'not tested' : lastTest.ok ? 'works' : 'test failed';
  return `${bucket.bucketName} (${bucket.service}, ${state})`;
}

/** The buckets that new jobs can use; those whose last test passed come first. */
export function bucketChoices(buckets: readonly Bucket[]): readonly BucketChoice[] {
  return buckets
    .filter(({ deletingSince }) => deletingSince === null)
    .toSorted((a, b) => Number(isReady(b)) - Number(isReady(a)))
    .map((bucket) => ({ value: bucketChoice(bucket), text: textOf(bucket) }));
}

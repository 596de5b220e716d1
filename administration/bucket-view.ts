import { ANNOTATIONS } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ObjectOptions, ZipBucket } from '#crds/zip-bucket.ts';
import type { Service } from '#crds/zip-job.ts';
import { isOrderPending } from './ask-controller.ts';
import { remedyFor } from './remedies.ts';

/** How the last test of a bucket ended. */
export interface BucketTest {
  readonly finishedAt: string;
  readonly ok: boolean;
  readonly reason: string;
  /** With the permissions that are missing. */
  readonly message: string;
  /** What can be done about it; null when it went well. */
  readonly remedy: string | null;
  /** What archives can do without, but not the resolving of lost attempts. */
  readonly warning: string | null;
}

/** A bucket as it is shown: everything but its credentials, which nobody can read. Null is what is not set or not known. */
export interface Bucket {
  readonly bucketName: string;
  readonly service: Service;
  /** Name of the ZipBucket. */
  readonly resource: string;
  readonly createdAt: string | null;
  readonly deletingSince: string | null;
  readonly region: string | null;
  readonly host: string | null;
  readonly accountId: string | null;
  readonly endpoint: string | null;
  readonly objectOptions: ObjectOptions;
  /** Unfinished jobs that use it. */
  readonly activeJobs: number | null;
  readonly lastTest: BucketTest | null;
  /** A test was asked for that has not ended. */
  readonly testPending: boolean;
}

const lastTestOf = ({ status }: ZipBucket): BucketTest | null => {
  const { test, conditions } = status ?? {};
  const ready = findCondition(conditions, 'Ready');
  if (!test || !ready) return null;
  const fence = findCondition(conditions, 'FenceIncomplete');
  return {
    finishedAt: test.finishedAt,
    ok: ready.status === 'True',
    reason: ready.reason,
    message: ready.message,
    remedy: ready.status === 'True' ? null : remedyFor(ready.reason),
    warning: fence?.status === 'True' ? fence.message : null,
  };
};

const UNSET = { region: null, host: null, accountId: null, endpoint: null, objectOptions: {} } as const;

export const toBucket = (bucket: ZipBucket): Bucket => ({
  ...UNSET,
  ...bucket.spec,
  resource: bucket.metadata.name,
  createdAt: bucket.metadata.creationTimestamp ?? null,
  deletingSince: bucket.metadata.deletionTimestamp ?? null,
  activeJobs: bucket.status?.activeJobs ?? null,
  lastTest: lastTestOf(bucket),
  testPending: isOrderPending(bucket, ANNOTATIONS.testBucket, bucket.status?.test?.nonce),
});

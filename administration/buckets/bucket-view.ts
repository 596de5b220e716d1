import { ANNOTATIONS } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ObjectOptions, WebIdentity, ZipBucket } from '#crds/zip-bucket.ts';
import type { Service } from '#crds/zip-job.ts';
import { missingIn } from '#runtime/store/bucket-permissions.ts';
import { isCommandPending } from '../changes/controller-command.ts';
import { remedyFor } from '../errors/failure-help.ts';

/** Result of the last test of a bucket. */
export interface BucketTest {
  readonly finishedAt: string;
  readonly ok: boolean;
  readonly reason: string;
  /** Includes the missing permissions. */
  readonly message: string;
  /** Next step; null if the test succeeded. */
  readonly remedy: string | null;
  /** A missing permission that archives do not need, but the recovery of lost attempts does. */
  readonly warning: string | null;
  /** IAM actions that the store denied. */
  readonly missingPermissions: readonly string[];
}

/** A bucket for display, without its write-only credentials. Null for unset or unknown fields. */
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
  /** PEM. */
  readonly caBundle: string | null;
  /** Null: its keys are in its Secret. */
  readonly webIdentity: WebIdentity | null;
  readonly objectOptions: ObjectOptions;
  /** Jobs may read files from it. */
  readonly readable: boolean;
  /** Unfinished jobs that use it. */
  readonly activeJobs: number | null;
  readonly lastTest: BucketTest | null;
  /** A requested test is still running. */
  readonly testPending: boolean;
}

/** How many certificates the CA bundle of a bucket has. */
export function certificatesOf({ caBundle }: Pick<Bucket, 'caBundle'>): number {
  return caBundle?.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
}

function lastTestOf({ status }: Pick<ZipBucket, 'status'>): BucketTest | null {
  const { test, conditions } = status ?? {};
  const ready = findCondition(conditions, 'Ready');
  if (!test || !ready) return null;
  const fence = findCondition(conditions, 'RecoveryLimited');
  return {
    finishedAt: test.finishedAt,
    ok: ready.status === 'True',
    reason: ready.reason,
    message: ready.message,
    remedy: ready.status === 'True' ? null : remedyFor(ready.reason),
    warning: fence?.status === 'True' ? fence.message : null,
    missingPermissions: missingIn(ready.message),
  };
}

const UNSET = {
  region: null,
  host: null,
  accountId: null,
  endpoint: null,
  caBundle: null,
  objectOptions: {},
  readable: false,
} as const;

export function toBucket({ spec: { credentials, ...spec }, ...bucket }: ZipBucket): Bucket {
  return {
    ...UNSET,
    ...spec,
    webIdentity: credentials?.webIdentity ?? null,
    resource: bucket.metadata.name,
    createdAt: bucket.metadata.creationTimestamp ?? null,
    deletingSince: bucket.metadata.deletionTimestamp ?? null,
    activeJobs: bucket.status?.activeJobs ?? null,
    lastTest: lastTestOf(bucket),
    testPending: isCommandPending(bucket, ANNOTATIONS.testBucket, bucket.status?.test?.nonce),
  };
}

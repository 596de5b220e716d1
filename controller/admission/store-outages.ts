import { findCondition } from '#crds/conditions.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { Attempt, ZipJob } from '#crds/zip-job.ts';
import type { FailureCode } from '#crds/zipper-contract.ts';
import type { Change, ObjectKey } from '#runtime/kube/types.ts';
import { bucketKeyOf } from '../kube-state/caches.ts';

/** Attempts in a row that end because the store did not respond, until the bucket is held. */
const HELD_FROM = 3;

const AWAY: FailureCode = 'StoreUnavailable';
/** Failures that only a store that responds can cause. */
const RESPONSES: ReadonlySet<string | undefined> = new Set<FailureCode>([
  'ObjectExists',
  'StoreCorrupted',
  'BucketNotFound',
  'BucketAccessDenied',
  'BucketCredentialsInvalid',
]);

/**
 * Buckets whose store is away. Without this, every queued job of the bucket would start, wait ten minutes for the store, and use up its
 * attempts. A held bucket runs one job at a time, which shows whether the store is back.
 */
export interface StoreOutages {
  /** Follows the attempts and uploads of all jobs. */
  see(change: Change<ZipJob>): void;
  /** The condition `Held` is the memory for the next process. */
  seeBucket(change: Change<ZipBucket>): void;
  isHeld(bucket: ObjectKey): boolean;
  /** Number of held buckets. */
  readonly held: number;
}

const newAttempts = (before: ZipJob, { status }: ZipJob): readonly Attempt[] => {
  const last = before.status?.attempts?.at(-1)?.n ?? 0;
  return (status?.attempts ?? []).filter(({ n }) => n > last);
};

const uploadedOf = ({ status }: ZipJob): number => status?.progress?.bytesUploaded ?? 0;

/** True if the store confirmed bytes of the present attempt, or the archive. */
const hasResponded = (before: ZipJob, after: ZipJob): boolean => {
  if (after.status?.result && !before.status?.result) return true;
  const isSamePod = before.status?.progress?.podUid === after.status?.progress?.podUid;
  return uploadedOf(after) > (isSamePod ? uploadedOf(before) : 0);
};

export const createStoreOutages = (onChange: (bucket: ObjectKey) => void): StoreOutages => {
  /** Failures in a row, of buckets with at least one. */
  const failures = new Map<ObjectKey, number>();
  const isHeld = (bucket: ObjectKey): boolean => (failures.get(bucket) ?? 0) >= HELD_FROM;
  const set = (bucket: ObjectKey, count: number): void => {
    const was = isHeld(bucket);
    if (count === 0) failures.delete(bucket);
    else failures.set(bucket, Math.min(count, HELD_FROM));
    if (isHeld(bucket) !== was) onChange(bucket);
  };
  return {
    see: (change) => {
      // What ended before this process is in the condition of the bucket.
      if (change.kind !== 'set' || !change.before) return;
      const { before, object } = change;
      const bucket = bucketKeyOf(object);
      if (hasResponded(before, object)) set(bucket, 0);
      for (const { reason } of newAttempts(before, object)) {
        if (reason === AWAY) set(bucket, (failures.get(bucket) ?? 0) + 1);
        else if (RESPONSES.has(reason)) set(bucket, 0);
      }
    },
    seeBucket: (change) => {
      if (change.kind === 'deleted') set(change.key, 0);
      else if (!change.before && findCondition(change.object.status?.conditions, 'Held')?.status === 'True')
        set(change.key, HELD_FROM);
    },
    isHeld,
    get held() {
      return [...failures.keys()].filter(isHeld).length;
    },
  };
};

import { findCondition } from '#crds/conditions.ts';
import type { FailureCode } from '#crds/exit-codes.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { type Attempt, isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { Change, ObjectKey } from '#runtime/kube/types.ts';
import { bucketKeyOf } from '../cluster/caches.ts';

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

export interface StoreOutagesOptions {
  /** Another process only follows what the leader writes into the condition, and continues from there when it leads. */
  readonly leads: () => boolean;
  readonly exists: (bucket: ObjectKey) => boolean;
  /** Called when a bucket is held or released. */
  readonly onChange: (bucket: ObjectKey) => void;
}

/**
 * Buckets whose store is away. Without this, every queued job of the bucket would start, wait ten minutes for the store, and use up its
 * attempts. A held bucket runs one job at a time, which shows whether the store is back. So does a successful test of the bucket.
 */
export interface StoreOutages {
  /** Follows the attempts and uploads of all jobs. */
  see(change: Change<ZipJob>): void;
  /** Follows the condition `Held` and the tests. */
  seeBucket(change: Change<ZipBucket>): void;
  isHeld(bucket: ObjectKey): boolean;
  /** Number of held buckets. */
  readonly held: number;
}

function newAttempts(before: ZipJob, { status }: ZipJob): readonly Attempt[] {
  const last = before.status?.attempts?.at(-1)?.n ?? 0;
  return (status?.attempts ?? []).filter(({ n }) => n > last);
}

function uploadedOf({ status }: ZipJob): number {
  return status?.progress?.bytesUploaded ?? 0;
}

/** What the upload of a new pod has from earlier ones says that the store lists it, not that it takes parts. */
function inheritedBytes({ status }: ZipJob): number {
  return status?.upload?.resumedBytes ?? 0;
}

/** True if the store confirmed bytes of the present attempt, or the archive. */
function hasResponded(before: ZipJob, after: ZipJob): boolean {
  if (after.status?.result && !before.status?.result) return true;
  const isSamePod = before.status?.progress?.podUid === after.status?.progress?.podUid;
  const known = isSamePod ? uploadedOf(before) : 0;
  return uploadedOf(after) > Math.max(known, inheritedBytes(after));
}

type Sign = 'responds' | 'away';

function signOf({ reason }: Attempt): readonly Sign[] {
  if (reason === AWAY) return ['away'];
  return RESPONSES.has(reason) ? ['responds'] : [];
}

/** What a change of a job says about its store. */
function signsIn(before: ZipJob, after: ZipJob): readonly Sign[] {
  return [
    ...(hasResponded(before, after) ? (['responds'] as const) : []),
    ...newAttempts(before, after).flatMap(signOf),
  ];
}

function hasCondition({ status }: ZipBucket, type: 'Held' | 'Ready'): boolean {
  return findCondition(status?.conditions, type)?.status === 'True';
}

function hasPassedTest(before: ZipBucket | undefined, after: ZipBucket): boolean {
  return after.status?.test?.nonce !== before?.status?.test?.nonce && hasCondition(after, 'Ready');
}

export function createStoreOutages({ leads, exists, onChange }: StoreOutagesOptions): StoreOutages {
  /** Failures in a row, of buckets with at least one. */
  const failures = new Map<ObjectKey, number>();
  function isHeld(bucket: ObjectKey): boolean {
    return (failures.get(bucket) ?? 0) >= HELD_FROM;
  }
  function set(bucket: ObjectKey, count: number): void {
    const was = isHeld(bucket);
    if (count === 0) failures.delete(bucket);
    else failures.set(bucket, Math.min(count, HELD_FROM));
    if (isHeld(bucket) !== was) onChange(bucket);
  }
  return {
    see: (change) => {
      // A finished job has no further attempts, and the cache keeps only a part of it.
      if (!leads() || change.kind !== 'set' || !change.before || isFinished(change.before)) return;
      const { before, object } = change;
      const bucket = bucketKeyOf(object);
      if (!exists(bucket)) return;
      for (const sign of signsIn(before, object))
        set(bucket, sign === 'away' ? (failures.get(bucket) ?? 0) + 1 : 0);
    },
    seeBucket: (change) => {
      if (change.kind === 'deleted') {
        set(change.key, 0);
        return;
      }
      const { key, before, object } = change;
      // The events of a leader's own writes may show an earlier decision.
      if (!before || !leads()) set(key, hasCondition(object, 'Held') ? HELD_FROM : 0);
      else if (hasPassedTest(before, object)) set(key, 0);
    },
    isHeld,
    get held() {
      return [...failures.keys()].filter(isHeld).length;
    },
  };
}

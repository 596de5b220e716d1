import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { Change, ObjectKey } from '#runtime/kube/types.ts';
import { usedBucketsOf } from '../cluster/caches.ts';

/** Counts the unfinished ZipJobs of each bucket as they change, so that no count needs a scan of all jobs of a bucket. */
export interface UnfinishedJobs {
  see(change: Change<ZipJob>): void;
  count(bucket: ObjectKey): number;
}

export function createUnfinishedJobs(): UnfinishedJobs {
  const counts = new Map<ObjectKey, number>();
  function add(zipJob: ZipJob | undefined, change: 1 | -1): void {
    if (!zipJob || isFinished(zipJob)) return;
    for (const bucket of usedBucketsOf(zipJob)) {
      const count = (counts.get(bucket) ?? 0) + change;
      if (count === 0) counts.delete(bucket);
      else counts.set(bucket, count);
    }
  }
  return {
    see: (change) => {
      add(change.before, -1);
      if (change.kind === 'set') add(change.object, 1);
    },
    count: (bucket) => counts.get(bucket) ?? 0,
  };
}

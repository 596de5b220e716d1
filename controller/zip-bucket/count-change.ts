import { isDeepStrictEqual } from 'node:util';
import type { ZipBucket, ZipBucketStatus } from '#crds/zip-bucket.ts';
import type { Change } from '#runtime/kube/types.ts';

export function withoutCount({ activeJobs: _count, ...reported }: ZipBucketStatus): object {
  return reported;
}

function unversioned({ metadata, status = {}, ...rest }: ZipBucket): object {
  const { resourceVersion: _version, ...others } = metadata;
  return { ...rest, metadata: others, status: withoutCount(status) };
}

/** A change of only the job count must not requeue the jobs of the bucket: each new job would requeue all others. */
export function isCountOnly(change: Change<ZipBucket>): boolean {
  return (
    change.kind === 'set' &&
    change.before !== undefined &&
    isDeepStrictEqual(unversioned(change.object), unversioned(change.before))
  );
}

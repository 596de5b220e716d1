import { isDeepStrictEqual } from 'node:util';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { Change } from '#runtime/kube/types.ts';

const withoutCount = ({ metadata, status = {}, ...rest }: ZipBucket): object => {
  const { resourceVersion: _version, ...others } = metadata;
  const { activeJobs: _count, ...reported } = status;
  return { ...rest, metadata: others, status: reported };
};

/** A change of only the job count must not requeue the jobs of the bucket: each new job would requeue all others. */
export const isCountOnly = (change: Change<ZipBucket>): boolean =>
  change.kind === 'set' &&
  change.before !== undefined &&
  isDeepStrictEqual(withoutCount(change.object), withoutCount(change.before));

import { isDeepStrictEqual } from 'node:util';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { Change } from '#runtime/kube/types.ts';

const withoutCount = ({ metadata, status = {}, ...rest }: ZipBucket): object => {
  const { resourceVersion: _version, ...others } = metadata;
  const { activeJobs: _count, ...told } = status;
  return { ...rest, metadata: others, status: told };
};

/** The count of a bucket's jobs follows from the jobs. Were they looked at for it, each that comes would wake all the others. */
export const isCountOnly = (change: Change<ZipBucket>): boolean =>
  change.kind === 'set' &&
  change.before !== undefined &&
  isDeepStrictEqual(withoutCount(change.object), withoutCount(change.before));

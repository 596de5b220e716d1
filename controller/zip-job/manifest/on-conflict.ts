import type { ZipBucket } from '#crds/zip-bucket.ts';
import { type OnConflict, SPEC_DEFAULTS, type ZipJob } from '#crds/zip-job.ts';

/** A job can only be more careful than its bucket. */
export function onConflictOf({ spec }: ZipJob, bucket: ZipBucket): OnConflict {
  return spec.onConflict === 'fail'
    ? 'fail'
    : (bucket.spec.objectOptions?.onConflict ?? SPEC_DEFAULTS.onConflict);
}

import type { SourceBucketUse } from '#runtime/zip-request/bucket-url.ts';
import { placeOf } from '#runtime/zip-request/entry-faults.ts';
import { ApiError, parameterInvalid } from '../errors/api-error.ts';
import type { FindBucket } from './find-bucket.ts';

function textOf({ service, bucketName }: SourceBucketUse): string {
  return `bucket "${bucketName}" (${service})`;
}

/** Finds the bucket, and says of one that is not there which file names it. */
async function found(find: () => ReturnType<FindBucket>, use: SourceBucketUse) {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'resource_not_found') throw error;
    const path = placeOf({ index: use.index, place: '.url' });
    throw new ApiError(
      `${path} names ${textOf(use)}, which was not found in this project. Correct the URL, or add the bucket to the project.`,
      { code: 'resource_not_found', param: 'urls', path },
    );
  }
}

/**
 * Checks that the project has the buckets of the files, and that its jobs may read them. A bucket of another project is not
 * distinguished from none.
 * @throws ApiError resource_not_found or parameter_invalid
 */
export async function checkSourceBuckets(
  findBucket: FindBucket,
  { namespace, uses }: { readonly namespace: string; readonly uses: readonly SourceBucketUse[] },
  signal: AbortSignal,
): Promise<void> {
  for (const use of uses) {
    const { service, bucketName } = use;
    const { spec } = await found(() => findBucket({ namespace, service, bucketName }, signal), use);
    if (spec.readable === true) continue;
    const path = placeOf({ index: use.index, place: '.url' });
    throw parameterInvalid(
      'urls',
      `${path} names ${textOf(use)}, which is not readable. Ask an admin of the project to set "readable" of the bucket.`,
      { path },
    );
  }
}

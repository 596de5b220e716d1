import { bucketResourceName } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { SERVICES, type Service } from '#crds/zip-job.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import { resourceNotFound } from '../errors/api-error.ts';

export interface FindBucketDeps {
  readonly buckets: Pick<Reflector<ZipBucket>, 'get'>;
  readonly bucketClient: Pick<ObjectClient<ZipBucket>, 'get'>;
}

export interface BucketQuery {
  readonly namespace: string;
  readonly service: Service;
  readonly bucketName: string;
}

/** Valid names of a ZipBucket; other names cannot exist and need no lookup. */
const POSSIBLE_NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;

/** Longest valid bucket name; limits how much of an invalid one the message repeats. */
const MAX_SHOWN_NAME = 63;

function isLeaving({ metadata }: ZipBucket): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/**
 * The bucket of the project. A bucket that is missing from the cache, or is being deleted there, may have been created a moment
 * ago, so it is read from the API server.
 * @throws ApiError resource_not_found
 */
export type FindBucket = (query: BucketQuery, signal: AbortSignal) => Promise<ZipBucket>;

export function createFindBucket({ buckets, bucketClient }: FindBucketDeps): FindBucket {
  async function find(query: BucketQuery, signal: AbortSignal): Promise<ZipBucket | undefined> {
    const name = bucketResourceName(query.service, query.bucketName);
    const cached = buckets.get(`${query.namespace}/${name}`);
    if (cached !== undefined && !isLeaving(cached)) return cached;
    return bucketClient.get(query.namespace, name, signal);
  }

  /** Built only for a refusal: the stack of an error costs more than the whole lookup in the cache. */
  function refusal(
    { bucketName, service }: BucketQuery,
    problem = 'not found in this project. Correct "bucket_name", or add the bucket to the project.',
  ) {
    return resourceNotFound(
      `Bucket "${bucketName.slice(0, MAX_SHOWN_NAME)}" (${service}) ${problem}`,
      'bucket_name',
    );
  }

  return async (query, signal) => {
    if (!POSSIBLE_NAME.test(query.bucketName)) throw refusal(query);
    const found = await find(query, signal);
    if (found !== undefined) {
      if (!isLeaving(found)) return found;
      throw refusal(query, 'is being deleted. Use another bucket, or create it again once it is deleted.');
    }
    const others = SERVICES.filter((other) => other !== query.service);
    for (const other of others) {
      const namesake = await find({ ...query, service: other }, signal);
      if (namesake !== undefined && !isLeaving(namesake))
        throw refusal(
          query,
          `not found in this project. A bucket with this name exists for service ${other}: set "service" to "${other}".`,
        );
    }
    throw refusal(query);
  };
}

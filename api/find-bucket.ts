import { bucketResourceName } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { SERVICES, type Service } from '#crds/zip-job.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import { resourceNotFound } from './api-error.ts';

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

const isUsable = (bucket: ZipBucket | undefined): boolean =>
  bucket !== undefined && bucket.metadata.deletionTimestamp === undefined;

/**
 * Checks that the project has the bucket. A bucket that is missing from the cache may have
 * been created a moment ago, so it is read from the API server.
 * @throws ApiError resource_not_found
 */
export type FindBucket = (query: BucketQuery, signal: AbortSignal) => Promise<void>;

export const createFindBucket = ({ buckets, bucketClient }: FindBucketDeps): FindBucket => {
  const exists = async (query: BucketQuery, signal: AbortSignal): Promise<boolean> => {
    const name = bucketResourceName(query.service, query.bucketName);
    const cached = buckets.get(`${query.namespace}/${name}`);
    if (cached !== undefined) return isUsable(cached);
    return isUsable(await bucketClient.get(query.namespace, name, signal));
  };

  return async (query, signal) => {
    const { service, bucketName } = query;
    const missing = `Bucket "${bucketName.slice(0, MAX_SHOWN_NAME)}" (${service}) not found in this project.`;
    const unknown = resourceNotFound(
      `${missing} Correct "bucket_name", or add the bucket to the project.`,
      'bucket_name',
    );
    if (!POSSIBLE_NAME.test(bucketName)) throw unknown;
    if (await exists(query, signal)) return;
    const others = SERVICES.filter((other) => other !== service);
    for (const other of others)
      if (await exists({ ...query, service: other }, signal))
        throw resourceNotFound(
          `${missing} A bucket with this name exists for service ${other}: set "service" to "${other}".`,
          'bucket_name',
        );
    throw unknown;
  };
};

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

/** What the name of a ZipBucket can hold: anything else exists nowhere and is not asked for. */
const POSSIBLE_NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;

const isUsable = (bucket: ZipBucket | undefined): boolean =>
  bucket !== undefined && bucket.metadata.deletionTimestamp === undefined;

/**
 * Makes sure that the project has the bucket. The cache answers for buckets that it has; a bucket that it lacks may have
 * been made a moment ago and is looked up.
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
    const missing = `This project has no ${service} bucket of that name.`;
    const unknown = resourceNotFound(
      `${missing} Correct "bucket_name", or have the bucket added to the project first.`,
      'bucket_name',
    );
    if (!POSSIBLE_NAME.test(bucketName)) throw unknown;
    if (await exists(query, signal)) return;
    const others = SERVICES.filter((other) => other !== service);
    for (const other of others)
      if (await exists({ ...query, service: other }, signal))
        throw resourceNotFound(
          `${missing} It has one of service ${other}: set "service" to "${other}".`,
          'bucket_name',
        );
    throw unknown;
  };
};

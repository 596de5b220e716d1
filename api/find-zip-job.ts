import { zipJobName } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isUuid, uuidOfName, zipJobId } from '#crds/zip-job-facts.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import { resourceNotFound } from './api-error.ts';
import { isResponse } from './cached-job.ts';

export interface FindZipJobDeps {
  /** Contains jobs as reduced by createToCachedJob, indexed by UID_INDEX. */
  readonly jobs: Pick<Reflector<ZipJob>, 'get' | 'byIndex'>;
  readonly jobClient: Pick<ObjectClient<ZipJob>, 'get'>;
}

export interface ZipJobQuery {
  readonly namespace: string;
  readonly uuid: string;
  /** True if the caller needs fields that the cache does not keep. */
  readonly isWhole: boolean;
}

export const UID_INDEX = 'uid';

/** Webhooks identify a job that the API did not create by the uid of its object. */
export const uidIndex = (job: ZipJob): readonly string[] =>
  uuidOfName(job.metadata.name) === undefined ? [`${job.metadata.namespace}/${zipJobId(job)}`] : [];

/** A newer job may have reused the name. */
const isOf = (job: ZipJob, byUid: ZipJob | undefined): boolean =>
  byUid === undefined || byUid.metadata.uid === job.metadata.uid;

/**
 * Finds a job of a project by id. Only finished jobs come from the cache: replicas see changes at different times,
 * and a status must never appear to go back.
 * @throws ApiError resource_not_found
 */
export type FindZipJob = (query: ZipJobQuery, signal: AbortSignal) => Promise<ZipJob>;

export const createFindZipJob =
  ({ jobs, jobClient }: FindZipJobDeps): FindZipJob =>
  async ({ namespace, uuid, isWhole }, signal) => {
    const notFound =
      'Zip not found in this project. Check the id; finished zips are deleted after a retention period.';
    if (!isUuid(uuid)) throw resourceNotFound(notFound);
    const [byUid] = jobs.byIndex(UID_INDEX, `${namespace}/${uuid}`);
    const name = byUid?.metadata.name ?? zipJobName(uuid);
    const cached = byUid ?? jobs.get(`${namespace}/${name}`);
    if (!isWhole && cached !== undefined && isResponse(cached)) return cached;
    const job = await jobClient.get(namespace, name, signal);
    if (job === undefined || !isOf(job, byUid)) throw resourceNotFound(notFound);
    return job;
  };

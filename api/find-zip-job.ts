import { zipJobName } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isUuid, uuidOfName, zipJobId } from '#crds/zip-job-facts.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import { resourceNotFound } from './api-error.ts';
import { type CachedJob, type JobResponse, responseOf } from './cached-job.ts';

export interface FindZipJobDeps {
  /** Indexed by UID_INDEX. */
  readonly jobs: Pick<Reflector<CachedJob>, 'get' | 'byIndex'>;
  readonly jobClient: Pick<ObjectClient<ZipJob>, 'get'>;
}

export interface ZipJobQuery {
  readonly namespace: string;
  readonly uuid: string;
}

export const UID_INDEX = 'uid';

/** Webhooks identify a job that the API did not create by the uid of its object. */
export const uidIndex = (job: CachedJob): readonly string[] =>
  uuidOfName(job.metadata.name) === undefined ? [`${job.metadata.namespace}/${zipJobId(job)}`] : [];

/** A newer job may have reused the name. */
const isOf = (job: ZipJob, byUid: CachedJob | undefined): boolean =>
  byUid === undefined || byUid.metadata.uid === job.metadata.uid;

const notFound = () =>
  resourceNotFound(
    'Zip not found in this project. Check the id; finished zips are deleted after a retention period.',
  );

/**
 * Finds a job of a project by id.
 * @throws ApiError resource_not_found
 */
export interface FindZipJob {
  /** Only finished jobs come from the cache: replicas see changes at different times, and a status must never appear to go back. */
  response(query: ZipJobQuery, signal: AbortSignal): Promise<JobResponse>;
  /** From the API server, with the fields that the cache does not keep. */
  whole(query: ZipJobQuery, signal: AbortSignal): Promise<ZipJob>;
}

export const createFindZipJob = ({ jobs, jobClient }: FindZipJobDeps): FindZipJob => {
  const known = ({ namespace, uuid }: ZipJobQuery) => {
    if (!isUuid(uuid)) throw notFound();
    const [byUid] = jobs.byIndex(UID_INDEX, `${namespace}/${uuid}`);
    const name = byUid?.metadata.name ?? zipJobName(uuid);
    return { byUid, name, cached: byUid ?? jobs.get(`${namespace}/${name}`) };
  };
  const whole = async (query: ZipJobQuery, signal: AbortSignal): Promise<ZipJob> => {
    const { byUid, name } = known(query);
    const job = await jobClient.get(query.namespace, name, signal);
    if (job === undefined || !isOf(job, byUid)) throw notFound();
    return job;
  };
  return {
    response: async (query, signal) =>
      known(query).cached?.response ?? responseOf(await whole(query, signal)),
    whole,
  };
};

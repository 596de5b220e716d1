import { zipJobName } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import { resourceNotFound } from './api-error.ts';
import { isAnswer } from './cached-job.ts';

export interface FindZipJobDeps {
  /** Holds jobs as toCachedJob leaves them. */
  readonly jobs: Pick<Reflector<ZipJob>, 'get'>;
  readonly jobClient: Pick<ObjectClient<ZipJob>, 'get'>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The job of a uuid in a project. Only a finished job is taken from the cache: replicas see changes at different times,
 * and a status must never seem to go back.
 * @throws ApiError resource_not_found
 */
export type FindZipJob = (namespace: string, uuid: string, signal: AbortSignal) => Promise<ZipJob>;

export const createFindZipJob =
  ({ jobs, jobClient }: FindZipJobDeps): FindZipJob =>
  async (namespace, uuid, signal) => {
    const missing = 'This project has no zip with that id.';
    if (!UUID.test(uuid)) throw resourceNotFound(missing);
    const name = zipJobName(uuid);
    const cached = jobs.get(`${namespace}/${name}`);
    if (cached !== undefined && isAnswer(cached)) return cached;
    const job = await jobClient.get(namespace, name, signal);
    if (job === undefined) throw resourceNotFound(missing);
    return job;
  };

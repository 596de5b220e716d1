import { zipJobName } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isUuid, uuidOfName, zipJobId } from '#crds/zip-job-facts.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import { resourceNotFound } from './api-error.ts';
import { isAnswer } from './cached-job.ts';

export interface FindZipJobDeps {
  /** Holds jobs as toCachedJob leaves them, under UID_INDEX by uidIndex too. */
  readonly jobs: Pick<Reflector<ZipJob>, 'get' | 'byIndex'>;
  readonly jobClient: Pick<ObjectClient<ZipJob>, 'get'>;
}

export interface ZipJobQuery {
  readonly namespace: string;
  readonly uuid: string;
  /** More is needed than the cache keeps. */
  readonly isWhole: boolean;
}

export const UID_INDEX = 'uid';

/** A job that was named by hand is known to callers, by its webhook, under the uid of its object. */
export const uidIndex = (job: ZipJob): readonly string[] =>
  uuidOfName(job.metadata.name) === undefined ? [`${job.metadata.namespace}/${zipJobId(job)}`] : [];

/** Another job may have taken the name since. */
const isOf = (job: ZipJob, byHand: ZipJob | undefined): boolean =>
  byHand === undefined || byHand.metadata.uid === job.metadata.uid;

/**
 * The job of an id in a project. Only a finished job is taken from the cache: replicas see changes at different times,
 * and a status must never seem to go back.
 * @throws ApiError resource_not_found
 */
export type FindZipJob = (query: ZipJobQuery, signal: AbortSignal) => Promise<ZipJob>;

export const createFindZipJob =
  ({ jobs, jobClient }: FindZipJobDeps): FindZipJob =>
  async ({ namespace, uuid, isWhole }, signal) => {
    const missing = 'This project has no zip with that id.';
    if (!isUuid(uuid)) throw resourceNotFound(missing);
    const [byHand] = jobs.byIndex(UID_INDEX, `${namespace}/${uuid}`);
    const name = byHand?.metadata.name ?? zipJobName(uuid);
    const cached = byHand ?? jobs.get(`${namespace}/${name}`);
    if (!isWhole && cached !== undefined && isAnswer(cached)) return cached;
    const job = await jobClient.get(namespace, name, signal);
    if (job === undefined || !isOf(job, byHand)) throw resourceNotFound(missing);
    return job;
  };

import { zipJobName } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isUuid, uuidOfName, zipJobId } from '#crds/zip-job-facts.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import { resourceNotFound } from '../errors/api-error.ts';
import type { CachedJob } from '../limits/cached-job.ts';
import type { KeptResponses } from './kept-responses.ts';
import { type JobResponse, responseOf } from './kept-responses.ts';
import type { HistoryQuery, ReadHistory } from './read-archived.ts';

export interface FindZipJobDeps {
  /** Indexed by UID_INDEX. */
  readonly jobs: Pick<Reflector<CachedJob>, 'get' | 'byIndex'>;
  readonly jobClient: Pick<ObjectClient<ZipJob>, 'get'>;
  /** Undefined without a history. */
  readonly readHistory?: ReadHistory | undefined;
  readonly responses: KeptResponses;
}

export type ZipJobQuery = HistoryQuery;

export const UID_INDEX = 'uid';

/** Webhooks identify a job that the API did not create by the uid of its object. */
export function uidIndex(job: CachedJob): readonly string[] {
  return uuidOfName(job.metadata.name) === undefined ? [zipJobId(job)] : [];
}

/** A newer job may have reused the name. */
function isOf(job: ZipJob, byUid: CachedJob | undefined): boolean {
  return byUid === undefined || byUid.metadata.uid === job.metadata.uid;
}

function notFound() {
  return resourceNotFound(
    'Zip not found in this project. Check the id; finished zips are deleted after a retention period.',
  );
}

/**
 * Finds a job of a project by id: in the cache, at the API server, then in the history. A job is in the history before its ZipJob is
 * deleted, so in this order it is always found.
 * @throws ApiError resource_not_found; service_unavailable and the other errors of ReadHistory if only the history can tell
 */
export interface FindZipJob {
  /** Only finished jobs come from the cache: replicas see changes at different times, and a status must never appear to go back. */
  response(query: ZipJobQuery, signal: AbortSignal): Promise<JobResponse>;
  /** With the fields that the cache does not keep. From the history, it is the archived form. */
  whole(query: ZipJobQuery, signal: AbortSignal): Promise<ZipJob>;
}

export function createFindZipJob({ jobs, jobClient, responses, readHistory }: FindZipJobDeps): FindZipJob {
  function known({ namespace, uuid }: ZipJobQuery) {
    if (!isUuid(uuid)) throw notFound();
    const [byUid] = jobs.byIndex(UID_INDEX, namespace, uuid);
    const name = byUid?.metadata.name ?? zipJobName(uuid);
    return { byUid, name, cached: byUid ?? jobs.get(`${namespace}/${name}`) };
  }
  async function whole(query: ZipJobQuery, signal: AbortSignal): Promise<ZipJob> {
    const { byUid, name } = known(query);
    const stored = await jobClient.get(query.namespace, name, signal);
    if (stored !== undefined && isOf(stored, byUid)) {
      responses.keep(stored);
      return stored;
    }
    const archived = await readHistory?.(query, signal);
    if (archived === undefined) throw notFound();
    return archived;
  }
  return {
    response: async (query, signal) =>
      responses.of(known(query).cached?.metadata.uid) ?? responseOf(await whole(query, signal)),
    whole,
  };
}

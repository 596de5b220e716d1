import { Readable } from 'node:stream';
import { overallState } from '#crds/webhook-endpoints.ts';
import { bucketOf, zipJobId } from '#crds/zip-job-facts.ts';
import { csvOf, type ExportedJob } from '#runtime/history/csv.ts';
import type { PageRequest, Route, SentFile } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { type ListedJob, reasonOf } from '../live/listed-job.ts';
import { createUserPlaces } from '../user/user-places.ts';
import { matchingJobs } from './find-jobs.ts';
import { validJobQuery } from './job-filters.ts';
import { phaseOf } from './job-progress.ts';
import { LIST_JOBS } from './list-jobs-right.ts';

/** Lines that are written at once, so that a large export does not delay other requests. */
const LINES_AT_ONCE = 500;

function durationMs({ startedAt, finishedAt }: ListedJob['status']): number | null {
  return startedAt === undefined || finishedAt === undefined
    ? null
    : Date.parse(finishedAt) - Date.parse(startedAt);
}

/** The columns of an export of the history. The list of jobs does not keep their metadata. */
function exported(job: ListedJob): ExportedJob {
  const { metadata, spec, status, files } = job;
  const { service, name: bucketName } = bucketOf(job);
  return {
    id: zipJobId(job),
    namespace: metadata.namespace,
    name: metadata.name,
    phase: phaseOf(job),
    reason: reasonOf(job),
    createdAt: metadata.creationTimestamp ?? '',
    startedAt: status.startedAt ?? null,
    finishedAt: status.finishedAt ?? '',
    durationMs: durationMs(status),
    service,
    bucketName,
    key: spec.key,
    files,
    bytes: status.result?.bytes ?? 0,
    createdBy: job.createdBy ?? null,
    webhookState: status.webhook === undefined ? null : overallState(status.webhook),
    runAgainOf: job.rerunOf ?? null,
  };
}

async function* batchesOf(
  jobs: readonly ListedJob[],
): AsyncGenerator<readonly ExportedJob[], void, undefined> {
  for (let start = 0; start < jobs.length; start += LINES_AT_ONCE)
    yield jobs.slice(start, start + LINES_AT_ONCE).map(exported);
}

/** One more than the export has, so that its last line says that there are more. */
function firstOf(jobs: Iterable<ListedJob>, most: number): readonly ListedJob[] {
  const taken: ListedJob[] = [];
  for (const job of jobs) {
    if (taken.length > most) break;
    taken.push(job);
  }
  return taken;
}

/** The filtered jobs of the cluster as CSV, as they were when the export started. */
export function createJobsExport({ caches, jobs: { order }, config, metrics }: PageDeps): readonly Route[] {
  const places = config.dashboardExportsInFlight;
  const takePlace = createUserPlaces({ limit: 'exports', places, retryAfterSeconds: 60, metrics });
  function bodyOf(request: PageRequest): Readable {
    const { user, namespace, now } = request;
    const query = validJobQuery(request.query);
    const place = takePlace(user.name);
    const { dashboardExportRows: maxRows, dashboardExportTimeoutMs: limitMs } = config;
    const found = matchingJobs({ order, zipJobs: caches.zipJobs }, { namespace, query, now });
    const texts = csvOf(batchesOf(firstOf(found, maxRows)), maxRows);
    const body = Readable.from(texts, { signal: AbortSignal.timeout(limitMs) });
    return body.once('close', () => place[Symbol.dispose]());
  }
  return [
    {
      method: 'GET',
      path: '/projects/:project/jobs.csv',
      needs: LIST_JOBS,
      handle: async (request): Promise<SentFile> => ({
        kind: 'file',
        name: `zipjobs-${request.namespace}-jobs-${request.now.toISOString().slice(0, 10)}.csv`,
        contentType: 'text/csv; charset=utf-8',
        body: bodyOf(request),
      }),
    },
  ];
}

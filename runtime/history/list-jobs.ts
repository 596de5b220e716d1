import type { Clock } from '../time/clock.ts';
import type { ExportedJob } from './csv.ts';
import type { HistoryDatabase } from './database.ts';
import type { HistoryJob } from './history-job.ts';
import { type JobPlace, placeAt, readCursor, writeCursor } from './job-cursor.ts';
import { checkFilter, type JobFilter } from './job-filter.ts';
import { metadataOf } from './job-metadata.ts';
import { searchJobs } from './search-jobs.ts';
import type { PlacedJob } from './search-statement.ts';

export interface JobPage {
  /** Newest first. */
  readonly jobs: readonly HistoryJob[];
  /** Cursor of the next page. Absent if no further job matches. */
  readonly next?: string;
  /**
   * Present if the page is not full because the search took long: all matching jobs that finished after this time (RFC 3339) are
   * on this page or the pages before. `next` continues the search.
   */
  readonly searchedTo?: string;
}

export interface PageRequest {
  /** `next` of the page before, which had the same filter. */
  readonly cursor?: string | undefined;
  /** Most jobs on the page. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** Every method throws the errors of HistoryDatabase, and AppError with code `InvalidFilter`. */
export interface JobLists {
  /**
   * One page, newest first. It has no count, because a count would read every job.
   * @throws AppError with code `InvalidCursor` also
   */
  listJobs(filter: JobFilter, request: PageRequest): Promise<JobPage>;
  /**
   * All matching jobs with their metadata, newest first, in batches. It uses no connection while the consumer is busy. A job
   * that finishes meanwhile is not included.
   */
  streamJobs(
    filter: JobFilter,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly ExportedJob[], void, undefined>;
}

export interface JobListDeps {
  readonly database: Pick<HistoryDatabase, 'query'>;
  readonly clock: Clock;
  /** After this time, a search for one page ends with what it has found. */
  readonly searchMs: number;
}

const MAX_LIMIT = 1_000;
const BATCH = 500;
/** Metadata may be 16 KiB, and an export holds several copies of a batch. */
const METADATA_BATCH = 100;
/** After the last job, for the first page. */
const NEWEST: JobPlace = placeAt('infinity');

function startOf({ finishedBefore }: JobFilter, cursor: string | undefined): JobPlace {
  const end = finishedBefore === undefined ? NEWEST : placeAt(finishedBefore.toISOString());
  if (cursor === undefined) return end;
  const place = readCursor(cursor);
  const isBeforeEnd = end === NEWEST || Date.parse(place.finishedAt) < Date.parse(end.finishedAt);
  return isBeforeEnd ? place : end;
}

function jobsOf(placed: readonly PlacedJob[]): readonly HistoryJob[] {
  return placed.map(({ job }) => job);
}

async function listPage(
  { database, clock, searchMs }: JobListDeps,
  filter: JobFilter,
  { cursor, limit: asked, signal }: PageRequest,
): Promise<JobPage> {
  const limit = Math.min(Math.max(1, asked), MAX_LIMIT);
  const jobs: PlacedJob[] = [];
  const startMs = clock.monotonicMs();
  const from = startOf(filter, cursor);
  const search = { database, clock, filter, from, wanted: limit + 1, endMs: startMs + searchMs, signal };
  for await (const { found, place } of searchJobs(search)) {
    jobs.push(...found);
    const last = jobs[limit - 1];
    if (jobs.length > limit && last !== undefined)
      return { jobs: jobsOf(jobs.slice(0, limit)), next: writeCursor(last.place) };
    if (place !== undefined && clock.monotonicMs() - startMs > searchMs)
      return { jobs: jobsOf(jobs), next: writeCursor(place), searchedTo: place.finishedAt };
  }
  return { jobs: jobsOf(jobs) };
}

async function withMetadata(
  database: JobListDeps['database'],
  placed: readonly PlacedJob[],
  signal: AbortSignal | undefined,
): Promise<readonly ExportedJob[]> {
  const metadata = await metadataOf(database, placed, signal);
  return placed.map(({ job }) => ({ ...job, metadata: metadata.get(job.uid) }));
}

export function createJobLists(deps: JobListDeps): JobLists {
  return {
    listJobs: async (filter, request) => {
      checkFilter(filter);
      return await listPage(deps, filter, request);
    },
    streamJobs: async function* (filter, signal) {
      checkFilter(filter);
      const search = { ...deps, filter, from: startOf(filter, undefined), wanted: BATCH, signal };
      for await (const { found } of searchJobs(search))
        for (let at = 0; at < found.length; at += METADATA_BATCH)
          yield await withMetadata(deps.database, found.slice(at, at + METADATA_BATCH), signal);
    },
  };
}

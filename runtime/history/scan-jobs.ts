import type { HistoryDatabase } from './database.ts';
import type { HistoryJob } from './history-job.ts';
import type { JobPlace } from './job-cursor.ts';
import { type AddValue, type JobFilter, jobConditions } from './job-filter.ts';
import { SELECTED_COLUMNS, utcText } from './job-select.ts';

/** A stretch of the list: the jobs after the place `from` that finished at `to` (RFC 3339) or later. */
export interface Stretch {
  readonly from: JobPlace;
  readonly to: string;
}

export interface Scan {
  readonly filter: JobFilter;
  /** Newest first. */
  readonly parts: readonly Stretch[];
  /** Most jobs to return from, and to read of each part, matching or not. */
  readonly rows: number;
  /** Most matching jobs to return. */
  readonly wanted: number;
  readonly signal?: AbortSignal | undefined;
}

export interface PlacedJob {
  readonly job: HistoryJob;
  readonly place: JobPlace;
}

export interface Scanned {
  /** Matching jobs, newest first. */
  readonly found: readonly PlacedJob[];
  /** The place of the last job that was read, if the scan ended because it had read `rows` jobs. */
  readonly stoppedAt?: JobPlace;
}

type PlacedRow = HistoryJob & {
  readonly placeAt: string;
  readonly isMatch?: boolean;
  readonly isLast?: boolean;
};

/** The conditions on `finished_at` alone exclude partitions, which PostgreSQL does not do for a comparison of two columns. */
function partQuery(
  { from, to }: Stretch,
  { projectUid, budget }: { readonly projectUid: string; readonly budget: string },
  add: AddValue,
): string {
  const start = `${add(from.finishedAt)}::timestamptz`;
  return `
    SELECT * FROM zipjobs.jobs
    WHERE project_uid = ${projectUid}
      AND finished_at <= ${start} AND finished_at >= ${add(to)}
      AND (finished_at, uid) < (${start}, ${add(from.uid)}::uuid)
    ORDER BY finished_at DESC, uid DESC LIMIT ${budget}`;
}

/**
 * The innermost queries read at most `rows` jobs each in the order of the primary key. With one part, it stops as soon as the outermost
 * has all wanted jobs. The last job that they may return is returned although it does not match, because it says where the scan stopped.
 */
function scanStatement({ filter, parts, rows, wanted }: Scan) {
  const values: unknown[] = [];
  function add(value: unknown): string {
    return `$${values.push(value)}`;
  }
  const conditions = jobConditions(filter, add);
  const budget = `${add(rows)}::bigint`;
  const common = { projectUid: add(filter.projectUid), budget };
  const queries = parts.map((part) => partQuery(part, common, add));
  const scanned =
    queries.length === 1
      ? queries.join('')
      : `SELECT * FROM (${queries.map((query) => `(${query})`).join(' UNION ALL ')}) AS parts
    ORDER BY finished_at DESC, uid DESC LIMIT ${budget}`;
  const text = `
SELECT ${SELECTED_COLUMNS}, ${utcText('finished_at')} AS "placeAt", is_match AS "isMatch", number = ${budget} AS "isLast"
FROM (
  SELECT *, (${['true', ...conditions].join(' AND ')}) AS is_match,
    row_number() OVER (ORDER BY finished_at DESC, uid DESC) AS number
  FROM (${scanned}
  ) AS scanned
) AS numbered
WHERE is_match OR number = ${budget}
ORDER BY finished_at DESC, uid DESC LIMIT ${add(wanted)}`;
  return { text, values };
}

function placed({ placeAt, isMatch: _match, isLast: _last, ...job }: PlacedRow): PlacedJob {
  return {
    job,
    place: { finishedAt: placeAt, uid: job.uid },
  };
}

/**
 * Reads parts of the list with a limit of rows. The statement has no name, so PostgreSQL plans it for its own parts: a plan for any
 * part has to lock every partition.
 */
export async function scanJobs(database: Pick<HistoryDatabase, 'query'>, scan: Scan): Promise<Scanned> {
  const rows = await database.query<PlacedRow>(scanStatement(scan), scan.signal);
  const found = rows.filter(({ isMatch }) => isMatch === true).map(placed);
  const last = rows.at(-1);
  const isStopped = last?.isLast === true && found.length < scan.wanted;
  return { found, ...(isStopped && { stoppedAt: placed(last).place }) };
}

export interface Places {
  readonly filter: JobFilter;
  readonly places: readonly JobPlace[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * The jobs at these places that match the filter, in the order of the places. The times exclude the partitions of all other days.
 * The uid is compared here, because a second list in the condition would look up each combination.
 */
export async function readPlaces(
  database: Pick<HistoryDatabase, 'query'>,
  { filter, places, signal }: Places,
): Promise<readonly PlacedJob[]> {
  if (places.length === 0) return [];
  const { projectUid, finishedAfter, finishedBefore } = filter;
  const values: unknown[] = [];
  function add(value: unknown): string {
    return `$${values.push(value)}`;
  }
  const conditions = [
    `project_uid = ${add(projectUid)}`,
    `finished_at = ANY (${add([...new Set(places.map(({ finishedAt }) => finishedAt))])}::timestamptz[])`,
    ...(finishedAfter === undefined ? [] : [`finished_at >= ${add(finishedAfter.toISOString())}`]),
    ...(finishedBefore === undefined ? [] : [`finished_at < ${add(finishedBefore.toISOString())}`]),
    ...jobConditions(filter, add),
  ];
  const text = `
SELECT ${SELECTED_COLUMNS}, ${utcText('finished_at')} AS "placeAt" FROM zipjobs.jobs WHERE ${conditions.join(' AND ')}`;
  const rows = await database.query<PlacedRow>({ text, values }, signal);
  const jobs = new Map(rows.map((row) => [row.uid, placed(row)]));
  return [...new Set(places.map(({ uid }) => uid))].flatMap((uid) => jobs.get(uid) ?? []);
}

import type { HistoryDatabase } from './database.ts';
import type { HistoryJob } from './history-job.ts';
import type { JobPlace } from './job-cursor.ts';
import type { JobFilter, SearchPlan } from './job-filter.ts';
import { SELECTED_COLUMNS, utcText } from './job-select.ts';

export interface Scan extends Pick<SearchPlan, 'read' | 'match'>, Pick<JobFilter, 'finishedAfter'> {
  /** The jobs after this place. */
  readonly from: JobPlace;
  /** Most jobs to read, matching or not. */
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
  /** Every matching job before this place was found. Absent at the end of the list. */
  readonly place?: JobPlace;
}

type PlacedRow = HistoryJob & {
  readonly placeAt: string;
  readonly isMatch?: boolean;
  readonly isLast?: boolean;
};

const NEWEST_FIRST = 'ORDER BY finished_at DESC, uid DESC';

/**
 * The innermost queries read at most `rows` jobs each, in the order of the list, from an index of each month. They stop as soon as the
 * outermost has all wanted jobs, and read no month that they do not need. The condition on `finished_at` alone excludes months, which
 * PostgreSQL does not do for a comparison of two columns. The last job that they may read is returned although it does not match, because
 * it says where the scan stopped.
 */
function scanStatement({ finishedAfter, from, read, match, rows, wanted }: Scan) {
  const values: unknown[] = [];
  function add(value: unknown): string {
    return `$${values.push(value)}`;
  }
  const [budget, start] = [`${add(rows)}::bigint`, `${add(from.finishedAt)}::timestamptz`];
  const stretch = [
    `finished_at <= ${start}`,
    `(finished_at, uid) < (${start}, ${add(from.uid)}::uuid)`,
    ...(finishedAfter === undefined ? [] : [`finished_at >= ${add(finishedAfter.toISOString())}`]),
  ].join(' AND ');
  const queries = read.map(
    (condition) =>
      `SELECT * FROM zipjobs.jobs WHERE ${stretch} AND ${condition(add)} ${NEWEST_FIRST} LIMIT ${budget}`,
  );
  const scanned =
    queries.length === 1
      ? queries.join('')
      : `SELECT * FROM (${queries.map((query) => `(${query})`).join(' UNION ALL ')}) AS parts ${NEWEST_FIRST} LIMIT ${budget}`;
  const text = `
SELECT ${SELECTED_COLUMNS}, ${utcText('finished_at')} AS "placeAt", is_match AS "isMatch", number = ${budget} AS "isLast"
FROM (
  SELECT *, (${match.map((condition) => condition(add)).join(' AND ')}) AS is_match, row_number() OVER (${NEWEST_FIRST}) AS number
  FROM (${scanned}) AS scanned
) AS numbered
WHERE is_match OR number = ${budget}
${NEWEST_FIRST} LIMIT ${add(wanted)}`;
  return { text, values };
}

function placed({ placeAt, isMatch: _match, isLast: _last, ...job }: PlacedRow): PlacedJob {
  return {
    job,
    place: { finishedAt: placeAt, uid: job.uid },
  };
}

/**
 * Reads a limited number of jobs of the list. The statement has no name, so PostgreSQL plans it for its own values: a plan for any
 * values would open every month.
 */
export async function scanJobs(database: Pick<HistoryDatabase, 'query'>, scan: Scan): Promise<Scanned> {
  if (scan.read.length === 0) return { found: [] };
  const rows = await database.query<PlacedRow>(scanStatement(scan), scan.signal);
  const found = rows.filter(({ isMatch }) => isMatch === true).map(placed);
  const last = rows.at(-1);
  const isStopped = last !== undefined && (last.isLast === true || found.length === scan.wanted);
  return { found, ...(isStopped && { place: placed(last).place }) };
}

import type { HistoryDatabase } from './database.ts';
import type { HistoryJob } from './history-job.ts';
import type { JobPlace } from './job-cursor.ts';
import { type JobFilter, jobConditions } from './job-filter.ts';
import { SELECTED_COLUMNS, utcText } from './job-select.ts';

/** A stretch of the list: the jobs after the place `from` that finished at `to` (RFC 3339) or later. */
export interface Stretch {
  readonly from: JobPlace;
  readonly to: string;
}

export interface Scan {
  readonly filter: JobFilter;
  readonly stretch: Stretch;
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
  /** The place of the last job that was read, if the scan ended because it had read `rows` jobs. */
  readonly stoppedAt?: JobPlace;
}

type PlacedRow = HistoryJob & {
  readonly placeAt: string;
  readonly isMatch?: boolean;
  readonly isLast?: boolean;
};

/**
 * The innermost query reads at most `rows` jobs in the order of the primary key. It stops as soon as the outermost has all
 * wanted jobs. The last job that it may read is returned although it does not match, because it says where the scan stopped.
 * The conditions on `finished_at` alone exclude partitions, which PostgreSQL does not do for a comparison of two columns.
 */
const scanStatement = ({ filter, stretch, rows, wanted }: Scan) => {
  const values: unknown[] = [];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const from = `${add(stretch.from.finishedAt)}::timestamptz`;
  const conditions = jobConditions(filter, add);
  const budget = `${add(rows)}::bigint`;
  const text = `
SELECT ${SELECTED_COLUMNS}, ${utcText('finished_at')} AS "placeAt", is_match AS "isMatch", number = ${budget} AS "isLast"
FROM (
  SELECT *, (${['true', ...conditions].join(' AND ')}) AS is_match,
    row_number() OVER (ORDER BY finished_at DESC, uid DESC) AS number
  FROM (
    SELECT * FROM zipjobs.jobs
    WHERE project_uid = ${add(filter.projectUid)}
      AND finished_at <= ${from} AND finished_at >= ${add(stretch.to)}
      AND (finished_at, uid) < (${from}, ${add(stretch.from.uid)}::uuid)
    ORDER BY finished_at DESC, uid DESC LIMIT ${budget}
  ) AS scanned
) AS numbered
WHERE is_match OR number = ${budget}
ORDER BY finished_at DESC, uid DESC LIMIT ${add(wanted)}`;
  return { text, values };
};

const placed = ({ placeAt, isMatch: _match, isLast: _last, ...job }: PlacedRow): PlacedJob => ({
  job,
  place: { finishedAt: placeAt, uid: job.uid },
});

/**
 * Reads one stretch of the list with a limit of rows. The statement has no name, so PostgreSQL plans it for its own stretch: a
 * plan for any stretch has to lock every partition.
 */
export const scanJobs = async (database: Pick<HistoryDatabase, 'query'>, scan: Scan): Promise<Scanned> => {
  const rows = await database.query<PlacedRow>(scanStatement(scan), scan.signal);
  const found = rows.filter(({ isMatch }) => isMatch === true).map(placed);
  const last = rows.at(-1);
  const isStopped = last?.isLast === true && found.length < scan.wanted;
  return { found, ...(isStopped && { stoppedAt: placed(last).place }) };
};

/** An ID has one job, or a few if its ZipJob was deleted and created again. */
const MAX_OF_AN_ID = 100;

/** The jobs of the project with the ID of the filter that match the rest of it, newest first. */
export const findById = async (
  database: Pick<HistoryDatabase, 'query'>,
  filter: JobFilter & { readonly id: string },
  signal?: AbortSignal,
): Promise<readonly PlacedJob[]> => {
  const { projectUid, id, finishedAfter, finishedBefore } = filter;
  const values: unknown[] = [];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    `project_uid = ${add(projectUid)}`,
    `id = ${add(id)}`,
    ...(finishedAfter === undefined ? [] : [`finished_at >= ${add(finishedAfter.toISOString())}`]),
    ...(finishedBefore === undefined ? [] : [`finished_at < ${add(finishedBefore.toISOString())}`]),
    ...jobConditions(filter, add),
  ];
  // Without ORDER BY: for a sorted list with a limit, the planner may read all jobs of the project in the order of the primary key.
  const text = `
SELECT ${SELECTED_COLUMNS}, ${utcText('finished_at')} AS "placeAt" FROM zipjobs.jobs WHERE ${conditions.join(' AND ')}
LIMIT ${MAX_OF_AN_ID}`;
  const rows = await database.query<PlacedRow>({ text, values }, signal);
  return rows.map(placed).sort((a, b) => (a.place.finishedAt < b.place.finishedAt ? 1 : -1));
};

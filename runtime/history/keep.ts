/**
 * What the controller does regularly: makes the partitions of the next days, drops the months beyond the retention, and deletes rows of
 * the month in which it ends, of projects with a shorter retention and of deleted projects. Everything may be repeated, and run in
 * several controllers at once.
 */
import type { HistoryDatabase } from './database.ts';
import type { HistoryJob } from './history-job.ts';
import type { Steps } from './steps.ts';

type Database = Pick<HistoryDatabase, 'query'>;

/** So that a controller may be away for two weeks. */
const DAYS_AHEAD = 14;

const TODAY = `(now() AT TIME ZONE 'UTC')::date`;

/** Makes the partitions from today to 14 days ahead. Returns the number of new tables. @throws AppError of HistoryDatabase */
export async function makePartitionsAhead(database: Database): Promise<number> {
  const text = `SELECT zipjobs.make_partitions(${TODAY}, ${TODAY} + ${DAYS_AHEAD}) AS made`;
  return (await database.query<{ made: number }>({ text }))[0]?.made ?? 0;
}

/** Number of days from tomorrow for which the jobs have partitions without a gap. @throws AppError of HistoryDatabase */
export async function partitionDaysAhead(database: Database): Promise<number> {
  const text = `SELECT coalesce(max((month + interval '1 month')::date - 1 - ${TODAY}), 0) AS days FROM (
      SELECT month, row_number() OVER (ORDER BY month) AS n FROM (
        SELECT to_date(right(c.relname, 6), 'YYYYMM')::timestamp AS month
        FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'zipjobs.jobs'::regclass
      ) AS partitions WHERE month >= date_trunc('month', ${TODAY}::timestamp)
    ) AS later WHERE month = date_trunc('month', ${TODAY}::timestamp) + (n - 1) * interval '1 month'`;
  return (await database.query<{ days: number }>({ text }))[0]?.days ?? 0;
}

/**
 * Drops partitions of which every row is older than the retention, oldest first, at most `mostTables` of them: there are three for
 * each month. Returns their names. @throws AppError of HistoryDatabase
 */
export async function dropOldPartitions(
  database: Database,
  { retentionDays, mostTables }: { readonly retentionDays: number; readonly mostTables: number },
): Promise<readonly string[]> {
  const dropped: string[] = [];
  const statement = { text: 'SELECT zipjobs.drop_oldest_partition($1) AS name', values: [retentionDays] };
  while (dropped.length < mostTables) {
    const [row] = await database.query<{ name: string | null }>(statement);
    if (row === undefined || row.name === null) break;
    dropped.push(row.name);
  }
  return dropped;
}

export interface PurgeLimits {
  /** Rows that one statement deletes. */
  readonly batchRows: number;
  readonly mostBatches: number;
  readonly signal?: AbortSignal;
}

export interface Purged {
  readonly rows: number;
  /** False: there may be more, because the batches were used up. */
  readonly isComplete: boolean;
}

/**
 * Deletes the jobs of a project that ended before a time (RFC 3339, or `infinity` for all of them), with their details and usage.
 * @throws AppError of HistoryDatabase
 */
export async function purgeProject(
  database: Database,
  { projectUid, endedBefore }: { readonly projectUid: string; readonly endedBefore: string },
  { batchRows, mostBatches, signal }: PurgeLimits,
): Promise<Purged> {
  const statement = {
    text: 'SELECT zipjobs.purge_project($1, $2, $3) AS rows',
    values: [projectUid, endedBefore, batchRows],
  };
  let rows = 0;
  for (let batch = 0; batch < mostBatches; batch += 1) {
    const [deleted] = await database.query<{ rows: number }>(statement, signal);
    if (deleted === undefined || deleted.rows === 0) return { rows, isComplete: true };
    rows += deleted.rows;
  }
  return { rows, isComplete: false };
}

/**
 * From when on each project keeps its jobs. The retention of the installation is for projects of all clusters, because so are the
 * partitions that it drops. The others are the business of the cluster that has the project.
 */
const PROJECTS = `
  SELECT project_uid AS "projectUid",
    CASE WHEN cluster_uid = $1 AND deleted_at IS NOT NULL THEN 'infinity'
      ELSE now() - make_interval(days => CASE WHEN cluster_uid = $1 THEN least(retention_days, $2) ELSE $2 END)
    END AS "endedBefore"
  FROM zipjobs.projects`;

export interface DeleteOptions extends PurgeLimits {
  readonly clusterUid: HistoryJob['clusterUid'];
  /** Of the installation, at least one day. Databases that several clusters share have the shortest. */
  readonly retentionDays: number;
  /** Partitions that one call drops. */
  readonly mostTables: number;
}

export interface Deleted {
  readonly partitionsDropped: number;
  readonly rowsPurged: number;
  /** False: call again soon, because a limit ended the work. */
  readonly isComplete: boolean;
}

/**
 * Deletes what is beyond the retention, and everything of deleted projects. All projects together have the limit of batches, but each
 * gets at least one. `steps` has the errors.
 */
export async function deleteExpired(
  database: Database,
  options: DeleteOptions,
  steps: Steps,
): Promise<Deleted> {
  const { clusterUid, retentionDays, mostTables, mostBatches } = options;
  const dropped = await steps.run('drop old partitions', () => dropOldPartitions(database, options));
  const statement = { text: PROJECTS, values: [clusterUid, retentionDays] };
  const projects = await steps.run('read the projects to delete', () =>
    database.query<{ projectUid: string; endedBefore: string }>(statement),
  );
  let rowsPurged = 0;
  let isComplete = dropped !== undefined && dropped.length < mostTables;
  let batches = mostBatches;
  for (const project of projects ?? []) {
    const limits = { ...options, mostBatches: batches };
    const purged = await steps.run(`delete the records of project ${project.projectUid}`, () =>
      purgeProject(database, project, limits),
    );
    if (purged === undefined) continue;
    rowsPurged += purged.rows;
    isComplete &&= purged.isComplete;
    batches = Math.max(1, batches - Math.ceil(purged.rows / options.batchRows));
  }
  // Until all old partitions are dropped, a deleted project may have rows.
  if (dropped !== undefined)
    await steps.run('forget deleted projects', () =>
      database.query({ text: 'SELECT zipjobs.forget_deleted_projects($1)', values: [retentionDays] }),
    );
  return { partitionsDropped: dropped?.length ?? 0, rowsPurged, isComplete };
}

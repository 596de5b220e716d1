/** The writes of the controller. Each may be repeated after any error, also after one that hides a success. */
import { AppError } from '../errors.ts';
import type { HistoryClient, HistoryDatabase } from './database.ts';
import type { HistoryEntry, HistoryJob } from './history-job.ts';
import { usageOf } from './usage.ts';

/** Column and type of each field of a HistoryJob in `zipjobs.jobs`. */
export const JOB_COLUMNS = {
  finishedAt: ['finished_at', 'timestamptz'],
  projectUid: ['project_uid', 'uuid'],
  uid: ['uid', 'uuid'],
  id: ['id', 'uuid'],
  clusterUid: ['cluster_uid', 'uuid'],
  namespace: ['namespace', 'text'],
  name: ['name', 'text'],
  createdAt: ['created_at', 'timestamptz'],
  startedAt: ['started_at', 'timestamptz'],
  phase: ['phase', 'text'],
  reason: ['reason', 'text'],
  service: ['service', 'text'],
  bucketName: ['bucket', 'text'],
  key: ['key', 'text'],
  files: ['files', 'integer'],
  bytes: ['bytes', 'bigint'],
  durationMs: ['duration_ms', 'bigint'],
  createdBy: ['created_by', 'text'],
  webhookState: ['webhook_state', 'text'],
  runAgainOf: ['run_again_of', 'text'],
  requestSha256: ['request_sha256', 'text'],
} as const satisfies Readonly<Record<keyof HistoryJob, readonly [column: string, type: string]>>;

const FIELDS = Object.keys(JOB_COLUMNS) as readonly (keyof HistoryJob)[];
const COLUMNS = FIELDS.map((field) => JOB_COLUMNS[field][0]).join(', ');
const ARRAYS = FIELDS.map((field, at) => `$${at + 1}::${JOB_COLUMNS[field][1]}[]`).join(', ');

/** In the order of the key, so that two writers of the same rows wait for each other and never in a circle. */
const INSERT_JOBS = `
  INSERT INTO zipjobs.jobs (${COLUMNS})
  SELECT * FROM unnest(${ARRAYS}) AS new (${COLUMNS}) ORDER BY project_uid, finished_at, uid
  ON CONFLICT (project_uid, finished_at, uid) DO NOTHING
  RETURNING uid`;

/** A project may be deleted before the retention records it. Its jobs are purged because of this record. */
const INSERT_PROJECTS = `
  INSERT INTO zipjobs.projects (project_uid, cluster_uid, namespace)
  SELECT DISTINCT ON (project_uid) * FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS new (project_uid, cluster_uid, namespace)
  ORDER BY project_uid
  ON CONFLICT (project_uid) DO NOTHING`;

/** The retention drops the jobs of a month before their details. A job of that month that is written in between is new, its details are not. */
const INSERT_DETAILS = `
  INSERT INTO zipjobs.job_details (project_uid, finished_at, uid, metadata, detail)
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[])
  ON CONFLICT (project_uid, finished_at, uid) DO UPDATE SET metadata = excluded.metadata, detail = excluded.detail`;

/** The range of time lets the server plan and read only the partitions of these rows. */
function updateOf(table: string, column: string): string {
  return `
  UPDATE zipjobs.${table} AS old SET ${column} = new.${column}
  FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[])
    AS new (project_uid, finished_at, uid, webhook_state, detail)
  WHERE (old.project_uid, old.finished_at, old.uid) = (new.project_uid, new.finished_at, new.uid)
    AND old.finished_at BETWEEN $6 AND $7 AND old.${column} IS DISTINCT FROM new.${column}`;
}

const UPDATES = [updateOf('jobs', 'webhook_state'), updateOf('job_details', 'detail')];

const ADD_USAGE = `
  INSERT INTO zipjobs.usage_hours AS old
    (project_uid, hour, service, bucket, phase, reason, jobs, files, bytes, duration_ms, duration_counts)
  SELECT project_uid, hour, service, bucket, phase, reason, jobs, files, bytes, duration_ms, duration_counts::bigint[]
  FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
    $9::bigint[], $10::bigint[], $11::text[]) WITH ORDINALITY
    AS new (project_uid, hour, service, bucket, phase, reason, jobs, files, bytes, duration_ms, duration_counts, n)
  ORDER BY n
  ON CONFLICT (project_uid, hour, service, bucket, phase, reason) DO UPDATE SET
    jobs = old.jobs + excluded.jobs,
    files = old.files + excluded.files,
    bytes = old.bytes + excluded.bytes,
    duration_ms = old.duration_ms + excluded.duration_ms,
    duration_counts = (
      SELECT array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY n)
      FROM unnest(old.duration_counts, excluded.duration_counts) WITH ORDINALITY AS both_counts (a, b, n))`;

/** The key of each entry, as arrays. */
function keysOf(entries: readonly HistoryEntry[]) {
  return [
    entries.map(({ job }) => job.projectUid),
    entries.map(({ job }) => job.finishedAt),
    entries.map(({ job }) => job.uid),
  ];
}

async function insertNew(
  client: HistoryClient,
  entries: readonly HistoryEntry[],
): Promise<ReadonlySet<string>> {
  const values = FIELDS.map((field) => entries.map(({ job }) => job[field]));
  const rows = await client.query<{ uid: string }>({ text: INSERT_JOBS, values });
  return new Set(rows.map(({ uid }) => uid));
}

function insertProjects(client: HistoryClient, jobs: readonly HistoryJob[]) {
  return client.query({
    text: INSERT_PROJECTS,
    values: [
      jobs.map(({ projectUid }) => projectUid),
      jobs.map(({ clusterUid }) => clusterUid),
      jobs.map(({ namespace }) => namespace),
    ],
  });
}

function insertDetails(client: HistoryClient, entries: readonly HistoryEntry[]) {
  return client.query({
    text: INSERT_DETAILS,
    values: [
      ...keysOf(entries),
      entries.map(({ metadata }) => metadata),
      entries.map(({ detail }) => detail),
    ],
  });
}

function addUsage(client: HistoryClient, jobs: readonly HistoryJob[]) {
  const sums = usageOf(jobs);
  return client.query({
    text: ADD_USAGE,
    values: [
      sums.map((one) => one.projectUid),
      sums.map((one) => one.hour),
      sums.map((one) => one.service),
      sums.map((one) => one.bucketName),
      sums.map((one) => one.phase),
      sums.map((one) => one.reason),
      sums.map((one) => one.jobs),
      sums.map((one) => one.files),
      sums.map((one) => one.bytes),
      sums.map((one) => one.durationMs),
      sums.map((one) => `{${one.durationCounts.join(',')}}`),
    ],
  });
}

async function updateOld(client: HistoryClient, entries: readonly HistoryEntry[]): Promise<void> {
  const times = entries.map(({ job }) => job.finishedAt).toSorted((a, b) => Date.parse(a) - Date.parse(b));
  const values = [
    ...keysOf(entries),
    entries.map(({ job }) => job.webhookState),
    entries.map(({ detail }) => detail),
    times[0],
    times.at(-1),
  ];
  for (const text of UPDATES) await client.query({ text, values });
}

async function write(
  client: HistoryClient,
  entries: readonly HistoryEntry[],
): Promise<readonly HistoryJob[]> {
  const inserted = await insertNew(client, entries);
  function isNew({ job }: HistoryEntry): boolean {
    return inserted.has(job.uid);
  }
  const added = entries.filter(isNew);
  // A writer that was paused may have read the job before another one stored its end.
  const old = entries.filter((entry) => !isNew(entry) && entry.isEarly !== true);
  const jobs = added.map(({ job }) => job);
  if (added.length > 0) {
    await insertDetails(client, added);
    await insertProjects(client, jobs);
    await addUsage(client, jobs);
  }
  if (old.length > 0) await updateOld(client, old);
  return jobs;
}

function dayOf(time: string): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** For a job that waited for the database longer than partitions are made ahead, or ended before it was set up. */
async function makePartitions(
  database: Pick<HistoryDatabase, 'query'>,
  entries: readonly HistoryEntry[],
): Promise<void> {
  for (const day of new Set(entries.map(({ job }) => dayOf(job.finishedAt))))
    await database.query({ text: 'SELECT zipjobs.make_partitions($1::date, $1::date)', values: [day] });
}

/**
 * Writes finished jobs in one transaction and returns those that the history did not have; only these are added to `usage_hours`.
 * Of the others, the state of the webhook and the detail are updated, because nothing else of a finished job changes; an early entry
 * updates nothing. Makes missing partitions. Of entries with the same uid, the last counts. A batch of a few hundred entries is a good size.
 * @throws AppError of HistoryDatabase. `HistoryRefused`: at least one entry can never be stored.
 */
export async function writeJobs(
  database: Pick<HistoryDatabase, 'query' | 'transaction'>,
  entries: readonly HistoryEntry[],
): Promise<readonly HistoryJob[]> {
  const unique = [...new Map(entries.map((entry) => [entry.job.uid, entry])).values()];
  if (unique.length === 0) return [];
  try {
    return await database.transaction((client) => write(client, unique));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'HistoryPartitionMissing') throw error;
  }
  await makePartitions(database, unique);
  return await database.transaction((client) => write(client, unique));
}

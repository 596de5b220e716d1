import type { ZipJob } from '#crds/zip-job.ts';
import { toHistoryEntry } from '#runtime/history/archived-form.ts';
import { DURATION_BOUNDS_MS } from '#runtime/history/duration-buckets.ts';
import { productionZipJob } from '#test/support/builders/production-objects.ts';

/** Runs statements on one connection that may write all tables. */
export interface Session {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

export interface Size {
  readonly rows: number;
  readonly days: number;
  /** The last days also have rows in `job_details`, which no list reads. */
  readonly detailDays: number;
  readonly projects: number;
  /** Indexes are built after the rows, which is several times as fast. They are smaller than those that grow with the jobs. */
  readonly isBulk: boolean;
}

/** The first day (UTC), so that the last one is yesterday. */
function firstDayOf({ days }: Size, now: Date): Date {
  return new Date(Math.floor(now.getTime() / 86_400_000 - days) * 86_400_000);
}

function dayText(day: Date): string {
  return day.toISOString().slice(0, 10);
}

/**
 * The jobs of a day, oldest first, as the controller inserts them. The most active project has a sixth of all jobs, the last of 200
 * one in 600. 7 % of the jobs failed: 40 % of them with the most frequent reason, 0.1 % with the rarest. Keys are unique.
 */
function jobsOf(day: string, rows: number, projects: number): string {
  return `
INSERT INTO zipjobs.jobs
SELECT t, md5('project-' || p)::uuid, gen_random_uuid(), id, md5('cluster')::uuid, 'team-' || p, 'zip-' || id,
  t - ms * interval '1 millisecond' - interval '4 seconds', t - ms * interval '1 millisecond',
  CASE WHEN r < 0.93 THEN 'Succeeded' WHEN r < 0.99 THEN 'Failed' ELSE 'Cancelled' END,
  CASE WHEN r < 0.93 THEN 'Uploaded' WHEN r < 0.954 THEN 'SourceNotFound' WHEN r < 0.97 THEN 'SourceForbidden'
    WHEN r < 0.98 THEN 'DeadlineExceeded' WHEN r < 0.98994 THEN 'SourceUnavailable' WHEN r < 0.99 THEN 'OutcomeUnknown'
    ELSE 'Cancelled' END,
  CASE WHEN p % 3 = 0 THEN 'r2' ELSE 's3' END, 'bucket-' || p || '-' || i % 4,
  'customers/' || substr(md5((i % 1000)::text), 1, 12) || '/exports/' || id || '.zip',
  1 + (random() * 100)::integer, CASE WHEN r < 0.93 THEN (random() * 1e9)::bigint ELSE 0 END, ms,
  'importer-' || i % 3, CASE WHEN r < 0.99 THEN 'Delivered' ELSE 'Exhausted' END, NULL, encode(sha256(id::text::bytea), 'hex')
FROM (
  SELECT i, '${day} 00:00:00+00'::timestamptz + floor(i * 86400.0 / ${rows}) * interval '1 second' AS t,
    floor(${projects} * random() ^ 3)::integer AS p, random() AS r, (100 * exp(random() * 9))::bigint AS ms, gen_random_uuid() AS id
  FROM generate_series(0, ${rows - 1}) AS i OFFSET 0
) AS one`;
}

const RANGE = `finished_at >= $1::timestamptz AND finished_at < $1::timestamptz + interval '1 day'`;

function detailsOf(metadata: string, detail: string): string {
  return `
INSERT INTO zipjobs.job_details
SELECT finished_at, project_uid, uid, replace(${metadata}, '#', id::text), replace(${detail}, '#', uid::text)
FROM zipjobs.jobs WHERE ${RANGE} ORDER BY finished_at`;
}

const durationCounts = [...DURATION_BOUNDS_MS, Number.POSITIVE_INFINITY]
  .map((_, index) => `count(*) FILTER (WHERE slot = ${index})`)
  .join(', ');

const USAGE = `
INSERT INTO zipjobs.usage_hours
SELECT date_trunc('hour', finished_at, 'UTC'), project_uid, service, bucket, phase, reason, count(*), sum(files), sum(bytes),
  sum(duration_ms), ARRAY[${durationCounts}]
FROM (
  SELECT *, width_bucket(duration_ms - 1, ARRAY[${DURATION_BOUNDS_MS.join(', ')}]::bigint[]) AS slot
  FROM zipjobs.jobs WHERE ${RANGE}
) AS jobs GROUP BY 1, 2, 3, 4, 5, 6`;

/** Texts of a real job, with a place for a uuid in those that differ from job to job. */
function templates(): { readonly metadata: string; readonly detail: string } {
  const zipJob = productionZipJob(1) as ZipJob;
  const uid = zipJob.metadata.uid ?? '';
  const owner = { projectUid: uid, clusterUid: uid };
  const { metadata, detail } = toHistoryEntry(zipJob, owner);
  return { metadata: `{"order":"#",${metadata.slice(1)}`, detail: detail.replaceAll(uid, '#') };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Of the day with this number. */
function startOf(first: Date, day: number): string {
  return dayText(new Date(first.getTime() + day * 86_400_000));
}

async function generateDay(
  session: Session,
  size: Size,
  { start, hasDetails }: { readonly start: string; readonly hasDetails: boolean },
): Promise<void> {
  const { metadata, detail } = templates();
  await session.query(jobsOf(start, Math.round(size.rows / size.days), size.projects));
  await session.query(USAGE, [start]);
  if (hasDetails) await session.query(detailsOf(quoted(metadata), quoted(detail)), [start]);
}

/** Removes all indexes but the primary keys, and returns the statements that make them again. */
async function dropIndexes(session: Session): Promise<readonly string[]> {
  const { rows } = await session.query(
    `SELECT indexname AS name, replace(indexdef, ' ON ONLY ', ' ON ') AS definition FROM pg_indexes
     WHERE schemaname = 'zipjobs' AND tablename IN (SELECT relname FROM pg_class WHERE relkind = 'p') AND indexname NOT LIKE '%_pkey'`,
  );
  const indexes = rows as readonly { readonly name: string; readonly definition: string }[];
  for (const { name } of indexes) await session.query(`DROP INDEX zipjobs.${name}`);
  return indexes.map(({ definition }) => definition);
}

/**
 * Fills the tables, and returns the seconds that it took. Each session has its own part of the year, one day after another, so that a
 * month is filled in the order of time.
 */
export async function generateRows(
  sessions: readonly [Session, ...(readonly Session[])],
  size: Size,
  { now, log }: { readonly now: Date; readonly log: (line: string) => void },
): Promise<number> {
  const startMs = performance.now();
  const [first] = sessions;
  const firstDay = firstDayOf(size, now);
  for (const session of sessions) await session.query(`SET timezone = 'UTC'`);
  for (let day = 0; day < size.days; day += 100) {
    const start = startOf(firstDay, day);
    await first.query(
      `SELECT zipjobs.make_partitions('${start}', least('${start}'::date + 99, now()::date + 14))`,
    );
  }
  const indexes = size.isBulk ? await dropIndexes(first) : [];
  const share = Math.ceil(size.days / sessions.length);
  let done = 0;
  async function fill(session: Session, part: number): Promise<void> {
    for (let day = part * share; day < Math.min(size.days, (part + 1) * share); day += 1) {
      const hasDetails = day >= size.days - size.detailDays;
      await generateDay(session, size, { start: startOf(firstDay, day), hasDetails });
      done += 1;
      if (done % 30 === 0) log(`${done} of ${size.days} days`);
    }
  }
  await Promise.all(sessions.map(fill));
  await first.query(`SET maintenance_work_mem = '1GB'`);
  for (const index of indexes) await first.query(index);
  // As autovacuum does it soon after the writes.
  for (const table of ['jobs', 'job_details', 'usage_hours'])
    await first.query(`VACUUM ANALYZE zipjobs.${table}`);
  return (performance.now() - startMs) / 1_000;
}

import type { ZipJob } from '#crds/zip-job.ts';
import { toHistoryEntry } from '#runtime/history/archived-form.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import type { PostgresServer } from '../servers/postgres-server.ts';

const CLUSTER_UID = '00000000-0000-4000-8000-0000000000cc';

/** Writes finished ZipJobs of one project into the history, with the partitions of their months. */
export async function archiveJobs(
  postgres: PostgresServer,
  zipJobs: readonly ZipJob[],
  projectUid: string,
): Promise<void> {
  await using database = postgres.connect('writer');
  const owner = { projectUid, clusterUid: CLUSTER_UID };
  await writeJobs(
    database,
    zipJobs.map((zipJob) => toHistoryEntry(zipJob, owner)),
  );
}

/** Removes all jobs, and keeps the partitions. */
export async function forgetJobs(postgres: PostgresServer): Promise<void> {
  await using client = await postgres.open('superuser');
  // With few rows this is much faster than TRUNCATE, which replaces the files of every partition.
  for (const table of ['jobs', 'job_details', 'usage_hours'])
    await client.query(`DELETE FROM zipjobs.${table}`);
}

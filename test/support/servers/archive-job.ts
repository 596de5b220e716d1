import type { ZipJob } from '#crds/zip-job.ts';
import { toHistoryEntry } from '#runtime/history/archived-form.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';

const CLUSTER_UID = '33333333-3333-4333-8333-333333333333';

/** Stores a finished job in the history, as the controller does. @param database with the role of the writer */
export async function archiveJob(
  database: HistoryDatabase,
  zipJob: ZipJob,
  projectUid: string,
): Promise<void> {
  await writeJobs(database, [toHistoryEntry(zipJob, { projectUid, clusterUid: CLUSTER_UID })]);
}

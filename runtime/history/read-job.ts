import type { ZipJob } from '#crds/zip-job.ts';
import { fromHistoryEntry } from './archived-form.ts';
import type { HistoryDatabase } from './database.ts';
import type { HistoryEntry } from './history-job.ts';
import { type JobId, placesOfId } from './job-places.ts';

const READ_DETAILS = `
SELECT metadata, detail FROM zipjobs.job_details
WHERE project_uid = $1 AND finished_at = $2 AND uid = $3`;

/**
 * Reads the archived form of the newest finished job with an ID. Undefined if the history does not have it.
 * @throws AppError like `HistoryDatabase`
 */
export type ReadJob = (id: JobId, signal?: AbortSignal) => Promise<ZipJob | undefined>;

/** One statement finds the place of the job, and another reads it there. */
export function createReadJob(database: Pick<HistoryDatabase, 'query'>): ReadJob {
  return async (id, signal) => {
    const [place] = await placesOfId(database, { ...id, most: 1 }, signal);
    if (place === undefined) return undefined;
    const [details] = await database.query<Pick<HistoryEntry, 'metadata' | 'detail'>>(
      { text: READ_DETAILS, values: [id.projectUid, place.finishedAt, place.uid] },
      signal,
    );
    return details && fromHistoryEntry(details);
  };
}

import type { ZipJob } from '#crds/zip-job.ts';
import { fromHistoryEntry } from './archived-form.ts';
import type { HistoryDatabase } from './database.ts';
import type { HistoryEntry } from './history-job.ts';

/** Prepared, because planning takes longer than the search. A name, and so its ID, may have been used again. */
const READ_JOB = {
  name: 'zipjobs_read_job',
  text: `
SELECT details.metadata, details.detail
FROM (
  SELECT finished_at, uid FROM zipjobs.jobs WHERE project_uid = $1 AND id = $2
  ORDER BY finished_at DESC, uid DESC LIMIT 1
) AS job
CROSS JOIN LATERAL (
  SELECT metadata, detail FROM zipjobs.job_details
  WHERE project_uid = $1 AND finished_at = job.finished_at AND uid = job.uid
  LIMIT 1
) AS details`,
};

export interface JobId {
  /** metadata.uid of the ZipProject. */
  readonly projectUid: string;
  /** The ID in the API and in webhooks. */
  readonly id: string;
}

/**
 * Reads the archived form of the newest finished job with an ID. Undefined if the history does not have it.
 * @throws AppError like `HistoryDatabase`
 */
export type ReadJob = (id: JobId, signal?: AbortSignal) => Promise<ZipJob | undefined>;

export function createReadJob(database: Pick<HistoryDatabase, 'query'>): ReadJob {
  return async ({ projectUid, id }, signal) => {
    const [details] = await database.query<Pick<HistoryEntry, 'metadata' | 'detail'>>(
      { ...READ_JOB, values: [projectUid, id] },
      signal,
    );
    return details && fromHistoryEntry(details);
  };
}

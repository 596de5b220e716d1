import type { ZipJob } from '#crds/zip-job.ts';
import { type Clock, systemClock } from '../clock.ts';
import { fromHistoryEntry } from './archived-form.ts';
import type { HistoryDatabase, Statement } from './database.ts';
import type { HistoryEntry } from './history-job.ts';

/** Most searches are for a job of the last days, which are few partitions. */
const RECENT_MS = 8 * 24 * 3_600_000;

/**
 * The newest job with an ID, because a name, and so its ID, may have been used again. The sum keeps the planner from reading each
 * partition in the order of its primary key, which would read all jobs of the project.
 */
const findJob = (condition: string): string => `
  SELECT uid, finished_at::text AS "finishedAt" FROM zipjobs.jobs
  WHERE project_uid = $1 AND id = $2 ${condition}
  ORDER BY finished_at + interval '0' DESC LIMIT 1`;

/** Not prepared: with the time as a value, only the partitions since then are planned and locked. */
const FIND_RECENT = { text: findJob('AND finished_at >= $3') };
/** Prepared, because planning a year of partitions takes longer than the search. */
const FIND_ANY = { name: 'zipjobs_find_job', text: findJob('') };
const READ_DETAILS = {
  text: `SELECT metadata, detail FROM zipjobs.job_details
    WHERE project_uid = $1 AND finished_at = $2 AND uid = $3`,
};

export interface JobId {
  /** metadata.uid of the ZipProject. */
  readonly projectUid: string;
  /** The ID in the API and in webhooks. */
  readonly id: string;
}

interface JobKey {
  readonly uid: string;
  /** As text of the database, because a time of JavaScript has no microseconds. */
  readonly finishedAt: string;
}

/**
 * Reads the archived form of one finished job. Undefined if the history does not have it.
 * @throws AppError like `HistoryDatabase`
 */
export type ReadJob = (id: JobId, signal?: AbortSignal) => Promise<ZipJob | undefined>;

/**
 * Two short statements for a job of the last days, and a search of all partitions for any other. The clock only decides what is
 * searched first.
 */
export const createReadJob =
  (database: Pick<HistoryDatabase, 'query'>, clock: Pick<Clock, 'date'> = systemClock): ReadJob =>
  async ({ projectUid, id }, signal) => {
    const first = async <Row>(statement: Statement): Promise<Row | undefined> =>
      (await database.query<Row>(statement, signal))[0];
    const since = new Date(clock.date().getTime() - RECENT_MS).toISOString();
    const key =
      (await first<JobKey>({ ...FIND_RECENT, values: [projectUid, id, since] })) ??
      (await first<JobKey>({ ...FIND_ANY, values: [projectUid, id] }));
    if (key === undefined) return undefined;
    const details = await first<Pick<HistoryEntry, 'metadata' | 'detail'>>({
      ...READ_DETAILS,
      values: [projectUid, key.finishedAt, key.uid],
    });
    return details && fromHistoryEntry(details);
  };

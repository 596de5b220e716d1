import type { ZipJob } from '#crds/zip-job.ts';
import { zipJobId } from '#crds/zip-job-facts.ts';
import { AppError } from '#runtime/errors.ts';
import { archivedForm } from '#runtime/history/archived-form.ts';
import type { JobId, ReadJob } from '#runtime/history/read-job.ts';

/** The error when the history database cannot be reached. */
export const HISTORY_AWAY = new AppError('History database "zipjobs" is unavailable: ECONNREFUSED.', {
  code: 'HistoryUnavailable',
  retryable: true,
});

/** A history in memory, for unit tests of code that reads single jobs. */
export interface FakeHistory {
  readonly readJob: ReadJob;
  /** Every read so far. */
  readonly asked: JobId[];
  /** Later reads throw it; undefined stops it. */
  failure: AppError | undefined;
  /** Later reads wait for it. */
  gate: Promise<void> | undefined;
  add(projectUid: string, job: ZipJob): void;
}

export function createFakeHistory(): FakeHistory {
  const jobs = new Map<string, ZipJob>();
  const history: FakeHistory = {
    asked: [],
    failure: undefined,
    gate: undefined,
    add: (projectUid, job) => void jobs.set(`${projectUid}/${zipJobId(job)}`, archivedForm(job)),
    readJob: async (id) => {
      history.asked.push(id);
      await history.gate;
      if (history.failure !== undefined) throw history.failure;
      return jobs.get(`${id.projectUid}/${id.id}`);
    },
  };
  return history;
}

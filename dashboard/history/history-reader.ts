import type { HistoryDatabase } from '#runtime/history/database.ts';
import { createFigures, type Figures } from '#runtime/history/figures.ts';
import { createJobLists, type JobLists } from '#runtime/history/list-jobs.ts';
import { createReadJob, type ReadJob } from '#runtime/history/read-job.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { DashboardConfig } from '../config.ts';

/** Finished jobs in the database. Check the permissions of the user, and read the uid of the project as the user, before each call. */
export interface History extends JobLists, Figures {
  readonly readJob: ReadJob;
}

export function createHistory(deps: {
  readonly database: HistoryDatabase;
  readonly clock: Clock;
  readonly config: Pick<DashboardConfig, 'dashboardHistorySearchMs'>;
}): History {
  const { database, clock, config } = deps;
  return {
    ...createJobLists({ database, clock, searchMs: config.dashboardHistorySearchMs }),
    ...createFigures({ database }),
    readJob: createReadJob(database),
  };
}

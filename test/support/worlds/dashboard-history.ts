import type { ZipJob } from '#crds/zip-job.ts';
import { readDashboardConfig } from '#dashboard/config.ts';
import { createHistory, type History } from '#dashboard/history/history-reader.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { type ConfigChange, changedConfig } from '../builders/changed-config.ts';
import type { PostgresServer } from '../servers/postgres-server.ts';
import { archiveJobs } from './archived-jobs.ts';
import { type DashboardProject, startDashboardProject } from './dashboard-project.ts';

/** The uid of the project that `startDashboardProject` stores in the API server. */
const PROJECT_UID = '00000000-0000-4000-8000-0000000000aa';

export interface DashboardHistory extends DashboardProject {
  readonly history: History;
  archive(...zipJobs: readonly ZipJob[]): Promise<void>;
  /** The project as it is after its namespace was deleted and created again. */
  recreateProject(): void;
}

/** The dashboard of `startDashboardProject` with a history in this database, which it reads with the role `reader`. */
export async function startDashboardHistory(
  postgres: PostgresServer,
  env: ConfigChange = {},
): Promise<DashboardHistory> {
  const database = postgres.connect('reader', { historyConnectTimeoutMs: 1000 });
  const config = changedConfig(readDashboardConfig, { dashboardHistorySearchMs: 5000, ...env });
  const history = createHistory({ database, clock: systemClock, config });
  const project = await startDashboardProject(env, { history });
  function putProject(uid: string): void {
    project.putProject({}, { metadata: { uid } });
  }
  putProject(PROJECT_UID);
  return {
    ...project,
    history,
    archive: (...zipJobs) => archiveJobs(postgres, zipJobs, PROJECT_UID),
    recreateProject: () => putProject('00000000-0000-4000-8000-0000000000bb'),
    [Symbol.asyncDispose]: async () => {
      await project[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

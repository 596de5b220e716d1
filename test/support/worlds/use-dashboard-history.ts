import type { ConfigChange } from '../builders/changed-config.ts';
import { requirePostgres } from '../processes/require-programs.ts';
import type { PostgresServer } from '../servers/postgres-server.ts';
import { createDatabase } from '../servers/test-database.ts';
import { forgetJobs } from './archived-jobs.ts';
import { type DashboardHistory, startDashboardHistory } from './dashboard-history.ts';

export interface DashboardHistoryWorld {
  /** Of the running test. */
  readonly dashboard: DashboardHistory;
  /** Shared by the tests of the describe block. */
  readonly postgres: PostgresServer;
  /** Replaces the dashboard of the running test by one with these settings. */
  readonly restart: (env: ConfigChange) => Promise<void>;
}

/** Creates a database before the tests of the describe block that calls this, and for each of them a dashboard without jobs. */
export function useDashboardHistory(env: ConfigChange = {}): DashboardHistoryWorld {
  const life = new AsyncDisposableStack();
  let postgres: PostgresServer;
  let dashboard: DashboardHistory;
  before(async function () {
    await requirePostgres(this);
    postgres = life.use(await createDatabase());
  });
  after(() => life.disposeAsync());
  beforeEach(async () => {
    dashboard = await startDashboardHistory(postgres, env);
  });
  afterEach(async () => {
    await dashboard[Symbol.asyncDispose]();
    await forgetJobs(postgres);
  });
  return {
    get dashboard() {
      return dashboard;
    },
    get postgres() {
      return postgres;
    },
    restart: async (changed) => {
      await dashboard[Symbol.asyncDispose]();
      dashboard = await startDashboardHistory(postgres, changed);
    },
  };
}

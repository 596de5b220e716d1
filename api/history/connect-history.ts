import type { Clock } from '#runtime/clock.ts';
import type { PoolDeps } from '#runtime/history/pool.ts';
import { createReadJob } from '#runtime/history/read-job.ts';
import type { ApiConfig } from '../config.ts';
import type { ApiMetrics } from '../metrics.ts';
import { createReadHistory, type ReadHistory } from './read-history.ts';

interface ConnectHistoryDeps extends PoolDeps {
  readonly config: ApiConfig;
  readonly clock: Clock;
  readonly metrics: ApiMetrics;
  /** Closes the connections at the end. */
  readonly resources: AsyncDisposableStack;
}

/** Undefined without HISTORY_HOST. Connections are made on demand, so the API starts without the database. */
export async function connectHistory(deps: ConnectHistoryDeps): Promise<ReadHistory | undefined> {
  const { config } = deps;
  if (config.historyHost === '') {
    deps.log.info('HISTORY_HOST is not set: a zip can be read until its ZipJob is deleted');
    return undefined;
  }
  // Loaded only if it is used, to save memory.
  const { createHistoryDatabase } = await import('#runtime/history/database.ts');
  const database = deps.resources.use(createHistoryDatabase(config, deps));
  return createReadHistory({ ...deps, readJob: createReadJob(database), settings: config });
}

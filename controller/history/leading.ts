import { createHistoryDatabase } from '#runtime/history/database.ts';
import type { Lifetime } from '#runtime/lifecycle.ts';
import { createApplyStatus } from '../engine/apply-status.ts';
import type { Parts } from '../wiring.ts';
import { readClusterUid } from './cluster-uid.ts';
import type { History } from './history.ts';
import { createHistoryWrites } from './history-writes.ts';
import { createOwnerOf } from './project-uids.ts';
import { keepRetention } from './retention.ts';
import { createStoreBatch } from './store-batch.ts';

/** Of our connections in the server's list of sessions. */
const APPLICATION = 'zipjobs-controller';

/** The work of the leader for the history: runs until the signal aborts. */
export function createHistoryTask(
  parts: Parts,
  { archiver, projectUids, purges }: History,
  resources: Lifetime['resources'],
): (signal: AbortSignal) => Promise<void> {
  const { config, clients, watches, log, trust, metrics, clock } = parts;
  const database = resources.use(createHistoryDatabase(config, { log, trust, applicationName: APPLICATION }));
  return async (signal) => {
    const clusterUid = await readClusterUid(clients.namespaces, signal);
    const store = createStoreBatch({
      config,
      zipJobs: clients.zipJobs,
      applyStatus: createApplyStatus('ZipJob', clients.zipJobs),
      ownerOf: createOwnerOf({ clusterUid, projectUids, client: clients.projects }),
      writes: createHistoryWrites(database),
      metrics,
      clock,
      log,
    });
    const { projects } = watches.caches;
    const { historyRetentionDays: retentionDays } = config;
    const retention = {
      database,
      clusterUid,
      retentionDays,
      projects,
      client: clients.projects,
      metrics,
      clock,
      log,
    };
    await Promise.all([
      archiver.run(store, signal),
      keepRetention(retention, signal),
      purges.run({ database, metrics }, signal),
    ]);
  };
}

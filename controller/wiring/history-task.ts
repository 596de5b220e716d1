import { createHistoryDatabase, type HistoryDatabase } from '#runtime/history/database.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import type { Namespace } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Lifetime } from '#runtime/process/lifecycle.ts';
import { retry } from '#runtime/time/retry.ts';
import type { HistoryWrites } from '../history/batch.ts';
import type { History } from '../history/history.ts';
import { createOwnerOf } from '../history/project-uids.ts';
import { keepRetention } from '../history/retention.ts';
import { createStoreBatch } from '../history/store-batch.ts';
import { createApplyStatus } from '../reconciling/apply-status.ts';
import type { Parts } from './wiring.ts';

/** Nobody can delete or rename it. */
const KUBE_SYSTEM = 'kube-system';
const CLUSTER_UID_RETRY = { attempts: Infinity, baseDelayMs: 1_000, maxDelayMs: 30_000 };

/**
 * Identifies the cluster in a history that several share: the uid of the namespace kube-system, as other tools use it. Asks until
 * the API server responds, or the signal aborts, which throws its reason.
 */
function readClusterUid(
  namespaces: Pick<ObjectClient<Namespace>, 'get'>,
  signal: AbortSignal,
): Promise<string> {
  return retry(
    async () => {
      const uid = (await namespaces.get('', KUBE_SYSTEM, signal))?.metadata.uid;
      if (uid === undefined) throw new Error(`the namespace ${KUBE_SYSTEM} has no uid`);
      return uid;
    },
    { ...CLUSTER_UID_RETRY, isRetryable: () => true },
    signal,
  );
}

export function createHistoryWrites(database: Pick<HistoryDatabase, 'query' | 'transaction'>): HistoryWrites {
  return {
    probe: async (signal) => {
      await database.query({ text: 'SELECT 1' }, signal);
    },
    write: async (entries) => {
      await writeJobs(database, entries);
    },
  };
}

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

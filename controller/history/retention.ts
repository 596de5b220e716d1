import { PROJECT_NAME, projectKey } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { type Clock, pause } from '#runtime/clock.ts';
import { toError } from '#runtime/errors.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { keepHistory, partitionDaysAhead } from '#runtime/history/keep.ts';
import { markDeleted, markProjects } from '#runtime/history/write-projects.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';
import type { ControllerMetrics } from '../metrics.ts';

export interface RetentionOptions {
  readonly database: Pick<HistoryDatabase, 'query'>;
  readonly clusterUid: string;
  readonly retentionDays: number;
  readonly projects: Pick<Reflector<ZipProject>, 'get' | 'values'>;
  readonly client: Pick<ObjectClient<ZipProject>, 'get'>;
  readonly metrics: Pick<ControllerMetrics, 'history'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const HOUR_MS = 3_600_000;
/** After a round that failed, or that a limit ended. */
const SOON_MS = 60_000;
/** A round is short, so that it does not occupy the database: about a day of partitions, and 100,000 rows. */
const LIMITS = { mostTables: 30, batchRows: 1_000, mostBatches: 100 };

interface Known {
  readonly projectUid: string;
  readonly namespace: string;
}

const uidOf = (project: ZipProject | undefined): string | undefined => project?.metadata.uid;

const markAll = ({ database, clusterUid, projects }: RetentionOptions): Promise<void> =>
  markProjects(
    database,
    [...projects.values()].flatMap(({ metadata, spec }) =>
      metadata.uid === undefined
        ? []
        : {
            clusterUid,
            projectUid: metadata.uid,
            namespace: metadata.namespace,
            retentionDays: spec.historyRetentionDays ?? null,
          },
    ),
  );

/** A deletion can be missed, so what the history has is compared. Only the API server itself says that a project is gone. */
const markAllDeleted = async (options: RetentionOptions, signal: AbortSignal): Promise<void> => {
  const { database, clusterUid, projects, client, log } = options;
  const known = await database.query<Known>({
    text: `SELECT project_uid AS "projectUid", namespace FROM zipjobs.projects WHERE cluster_uid = $1 AND deleted_at IS NULL`,
    values: [clusterUid],
  });
  for (const { projectUid, namespace } of known) {
    if (uidOf(projects.get(projectKey(namespace))) === projectUid) continue;
    if (uidOf(await client.get(namespace, PROJECT_NAME, signal)) === projectUid) continue;
    log.info({ project: namespace, projectUid }, 'a project was deleted: its history will be deleted');
    await markDeleted(database, { projectUid, clusterUid, namespace });
  }
};

/**
 * One round: makes partitions ahead, drops those beyond the retention, and deletes rows of projects that are deleted or have a
 * shorter one. False if a limit ended it. @throws AppError of the database or the API server
 */
export const applyRetention = async (options: RetentionOptions, signal: AbortSignal): Promise<boolean> => {
  const { database, clusterUid, retentionDays, metrics, log } = options;
  await markAll(options);
  await markAllDeleted(options, signal);
  const kept = await keepHistory(database, { clusterUid, retentionDays, ...LIMITS, signal });
  metrics.history.purgedRows.inc(kept.rowsPurged);
  metrics.history.partitionDaysAhead.set(await partitionDaysAhead(database));
  if (kept.partitionsDropped > 0 || kept.rowsPurged > 0)
    log.info(kept, 'the retention of the history was applied');
  return kept.isComplete;
};

/** Applies the retention every hour until the signal aborts. Never throws. */
export const keepRetention = async (options: RetentionOptions, signal: AbortSignal): Promise<void> => {
  const { metrics, clock, log } = options;
  while (!signal.aborted) {
    let isComplete = false;
    try {
      isComplete = await applyRetention(options, signal);
    } catch (error) {
      metrics.history.retentionFailures.inc();
      log.warn({ err: toError(error) }, 'could not apply the retention of the history, will retry');
    }
    await pause(clock, isComplete ? HOUR_MS : SOON_MS, signal);
  }
  metrics.history.partitionDaysAhead.set(-1);
};

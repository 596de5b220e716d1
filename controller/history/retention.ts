import { PROJECT_NAME, projectKey } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { AppError, toError } from '#runtime/errors.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { deleteExpired, makePartitionsAhead, partitionDaysAhead } from '#runtime/history/keep.ts';
import { createSteps, type Steps } from '#runtime/history/steps.ts';
import { markDeleted, markProjects } from '#runtime/history/write-projects.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import type { ControllerMetrics } from '../metrics.ts';

export interface RetentionOptions {
  readonly database: Pick<HistoryDatabase, 'query'>;
  readonly clusterUid: string;
  readonly retentionDays: number;
  readonly projects: Pick<Reflector<ZipProject>, 'get' | 'values'>;
  readonly client: Pick<ObjectClient<ZipProject>, 'get'>;
  readonly metrics: Pick<ControllerMetrics, 'history'>;
  /** Its date is that of the API server. */
  readonly clock: Clock;
  readonly log: Logger;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** After a round that failed, or that a limit ended. */
const SOON_MS = MINUTE_MS;
/** Clocks that are synchronised differ by seconds. */
const MOST_DIFFERENCE_MS = HOUR_MS;
/** A round is short, so that it does not occupy the database: a few months, and 100,000 rows. */
const LIMITS = { mostTables: 9, batchRows: 1_000, mostBatches: 100 };

interface Known {
  readonly projectUid: string;
  readonly namespace: string;
}

function markAll({ database, clusterUid, projects }: RetentionOptions): Promise<void> {
  return markProjects(
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
}

async function markIfDeleted(
  { database, clusterUid, projects, client, log }: RetentionOptions,
  { projectUid, namespace }: Known,
  signal: AbortSignal,
): Promise<void> {
  if (projects.get(projectKey(namespace))?.metadata.uid === projectUid) return;
  const current = await client.get(namespace, PROJECT_NAME, signal);
  if (current?.metadata.uid === projectUid) return;
  log.info({ project: namespace, projectUid }, 'a project was deleted: its history will be deleted');
  await markDeleted(database, { projectUid, clusterUid, namespace });
}

/** A deletion can be missed, so what the history has is compared. Only the API server itself says that a project is gone. */
async function markAllDeleted(options: RetentionOptions, steps: Steps, signal: AbortSignal): Promise<void> {
  const statement = {
    text: `SELECT project_uid AS "projectUid", namespace FROM zipjobs.projects WHERE cluster_uid = $1 AND deleted_at IS NULL`,
    values: [options.clusterUid],
  };
  const known = await steps.run('read the known projects', () => options.database.query<Known>(statement));
  for (const project of known ?? [])
    await steps.run(`find out whether project ${project.namespace} was deleted`, () =>
      markIfDeleted(options, project, signal),
    );
}

/**
 * The database decides with its own clock what is old, so a clock that is ahead by the retention would delete everything.
 * @throws AppError HistoryClockDiffers if it differs from that of the API server
 */
async function checkClock({ database, clock }: RetentionOptions): Promise<true> {
  const [row] = await database.query<{ now: string }>({ text: 'SELECT now() AS now' });
  const aheadMs = Date.parse(row?.now ?? '') - clock.date().getTime();
  if (Math.abs(aheadMs) <= MOST_DIFFERENCE_MS) return true;
  const minutes = Math.round(Math.abs(aheadMs) / MINUTE_MS);
  const difference = `${minutes} minutes ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  throw new AppError(
    `The clock of PostgreSQL is ${difference} that of the API server: ${row?.now} and ${clock.date().toISOString()}. Nothing is deleted. Correct the clock that is wrong.`,
    { code: 'HistoryClockDiffers', retryable: true },
  );
}

/** False if a limit ended it. `steps` has the errors. */
async function deleteAll(options: RetentionOptions, steps: Steps, signal: AbortSignal): Promise<boolean> {
  const { database, clusterUid, retentionDays, metrics, log } = options;
  if ((await steps.run('compare the clocks', () => checkClock(options))) === undefined) return false;
  await markAllDeleted(options, steps, signal);
  const deleted = await deleteExpired(database, { clusterUid, retentionDays, ...LIMITS, signal }, steps);
  metrics.history.purgedRows.inc(deleted.rowsPurged);
  if (deleted.partitionsDropped > 0 || deleted.rowsPurged > 0)
    log.info(deleted, 'the retention of the history was applied');
  return deleted.isComplete;
}

/**
 * One round: makes partitions ahead, drops those beyond the retention, and deletes the other rows that are beyond the retention of
 * their project, or belong to a deleted one. Each step runs whatever the others did. False if a limit ended it.
 * @throws AggregateError of the database and the API server; the reason of the signal
 */
export async function applyRetention(options: RetentionOptions, signal: AbortSignal): Promise<boolean> {
  const { database, metrics } = options;
  const steps = createSteps(signal);
  await steps.run('make partitions', () => makePartitionsAhead(database));
  await steps.run('record the projects', () => markAll(options));
  const isComplete = await deleteAll(options, steps, signal);
  // Last, whatever failed: an alert depends on it.
  const daysAhead = await steps.run('count the partitions', () => partitionDaysAhead(database));
  if (daysAhead !== undefined) metrics.history.partitionDaysAhead.set(daysAhead);
  steps.check();
  return isComplete;
}

/** Applies the retention every hour until the signal aborts. Never throws. */
export async function keepRetention(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { metrics, clock, log } = options;
  function isOver(): boolean {
    return signal.aborted;
  }
  while (!isOver()) {
    let isComplete = false;
    try {
      isComplete = await applyRetention(options, signal);
    } catch (error) {
      if (isOver()) break;
      metrics.history.retentionFailures.inc();
      log.warn({ err: toError(error) }, 'could not apply the retention of the history, will retry');
    }
    await pause(clock, isComplete ? HOUR_MS : SOON_MS, signal);
  }
  metrics.history.partitionDaysAhead.set(-1);
}

import { fileListOwner } from '#crds/api-group.ts';
import { hasActivePod, isFinished, type ZipJob } from '#crds/zip-job.ts';
import { awaitsWebhookOrExit, isFileListDeleted } from '#crds/zip-job-facts.ts';
import type { ProjectLimits } from '#crds/zip-project.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { archiveStateOf } from '../../cluster/archive-state.ts';
import type { Caches } from '../../cluster/caches.ts';
import type { Clients } from '../../cluster/clients.ts';
import { timeOf } from '../../cluster/times.ts';
import type { ControllerConfig } from '../../config/config.ts';
import type { ControllerMetrics } from '../../metrics.ts';
import type { WorkQueue } from '../../reconciling/work-queue.ts';
import { awaitsArchive, hasHistory } from '../policies/archiving.ts';
import { createFinishedPods, type FinishedPods } from './finished-pods.ts';
import { createQuotaRoom, type QuotaRoom } from './quota-room.ts';
import { createSurplusJobs, type SurplusJobs } from './surplus-jobs.ts';

/*
 * When what a finished job leaves behind is deleted. `states/finished.ts` deletes it.
 *
 * | what             | counted from     | for how long                                    | held by                           |
 * |------------------|------------------|-------------------------------------------------|-----------------------------------|
 * | ZipJob           | its end          | SUCCEEDED_TTL_SECONDS or FAILED_TTL_SECONDS,    | its webhook, the exit of its pod, |
 * |                  |                  | or spec.ttlSecondsAfterFinished                 | reruns that use its file list     |
 * | - in the history | its end          | ARCHIVED_TTL_SECONDS if that is shorter, and at | the same, and its file list,      |
 * |                  |                  | least SHORTEST_KEPT_MS                          | Kubernetes Jobs and pods          |
 * | - not yet in it  | -                | until it is (archived by HISTORY_HOST)          | the history                       |
 * | - full project   | its end          | FULL_PROJECT_TTL_SECONDS if that is shorter;    | its webhook, the exit of its pod, |
 * |                  |                  | in the history: no longer; not yet in it: no    | reruns; with a history,           |
 * |                  |                  | longer with HISTORY_WHEN_FULL=drop, else kept   | SHORTEST_KEPT_MS                  |
 * | file list        | the end of the   | FILE_LIST_TTL_SECONDS                           | reruns that use it                |
 * |                  | last job with it |                                                 |                                   |
 * | Jobs and pods    | its end          | SUCCEEDED_POD_TTL_SECONDS or                    | the exit of its pod               |
 * |                  |                  | FAILED_POD_TTL_SECONDS                          |                                   |
 * | - many pods      | its end          | no longer, above MAX_FINISHED_PODS              | the exit of its pod               |
 * | - quota          | its end          | no longer, if a ResourceQuota needs the room    | the exit of its pod               |
 *
 * A row that the history has is deleted by its own retention (`history/retention.ts`).
 */

export interface ExpirySettings {
  readonly succeededTtlSeconds: number;
  readonly failedTtlSeconds: number;
  readonly succeededPodTtlSeconds: number;
  readonly failedPodTtlSeconds: number;
  readonly fileListTtlSeconds: number;
  /** Of a job that a full project deletes first. */
  readonly fullProjectTtlSeconds: number;
  /** Host of the history database; empty without a history. */
  readonly historyHost: string;
  readonly archivedTtlSeconds: number;
  /** What a full project does with jobs that the history lacks. */
  readonly historyWhenFull: string;
}

/**
 * With a history, a POST with an `Idempotency-Key` searches for the ZipJob and then creates it, within the 10 s of a request
 * to the API, and up to 28 s more if its list is large.
 * A ZipJob that is created, ends and is deleted in between would not stop a second archive.
 */
const SHORTEST_KEPT_MS = 60_000;

function ttlSeconds({ spec, status }: ZipJob, settings: ExpirySettings, isSurplus: boolean): number {
  const own = spec.ttlSecondsAfterFinished ?? {};
  const usual =
    status?.phase === 'Succeeded'
      ? (own.succeeded ?? settings.succeededTtlSeconds)
      : (own.failed ?? settings.failedTtlSeconds);
  return isSurplus ? Math.min(usual, settings.fullProjectTtlSeconds) : usual;
}

/**
 * When the Kubernetes Jobs and pods of a finished ZipJob are deleted. Undefined while its pod has not exited: only the pod
 * says how the attempt ended.
 */
export function podsExpireAt(
  zipJob: ZipJob,
  settings: Pick<ExpirySettings, 'succeededPodTtlSeconds' | 'failedPodTtlSeconds'>,
): Date | undefined {
  const finishedAt = timeOf(zipJob.status?.finishedAt);
  if (finishedAt === undefined || hasActivePod(zipJob)) return undefined;
  const seconds =
    zipJob.status?.phase === 'Succeeded' ? settings.succeededPodTtlSeconds : settings.failedPodTtlSeconds;
  return new Date(finishedAt + seconds * 1000);
}

/** What else decides when a job is deleted. */
export interface ExpiryFacts {
  /** Reruns that use its file list. */
  readonly listUsers?: readonly ZipJob[] | undefined;
  /** True if its project is nearly full and this is one of its oldest finished jobs. */
  readonly isSurplus?: boolean | undefined;
  /** When its file list and its pods expire, if it has any: they are deleted with it. */
  readonly ownedUntil?: readonly (Date | undefined)[] | undefined;
}

/** An archived job needs no ZipJob, but what it owns does. */
function archivedUntil(finishedAt: number, settings: ExpirySettings, facts: ExpiryFacts): number {
  if (facts.isSurplus === true) return finishedAt;
  const owned = (facts.ownedUntil ?? []).map((at) => at?.getTime() ?? finishedAt);
  return Math.max(finishedAt + settings.archivedTtlSeconds * 1000, ...owned);
}

/** When the TTLs end, of which the shortest applies. Undefined while the history lacks the job, unless a full project drops it. */
function ttlEndsAt(
  zipJob: ZipJob,
  finishedAt: number,
  { settings, facts }: { readonly settings: ExpirySettings; readonly facts: ExpiryFacts },
): number | undefined {
  const isSurplus = facts.isSurplus === true;
  if (awaitsArchive(zipJob, settings))
    return isSurplus && settings.historyWhenFull === 'drop' ? finishedAt : undefined;
  const until = finishedAt + ttlSeconds(zipJob, settings, isSurplus) * 1000;
  const isArchived = hasHistory(settings) && archiveStateOf(zipJob) === 'stored';
  return isArchived ? Math.min(until, archivedUntil(finishedAt, settings, facts)) : until;
}

/**
 * When a finished ZipJob is deleted. Undefined while its webhook is pending, because its status contains the delivery state,
 * while its pod has not exited, and while a rerun uses its file list, which is deleted with it. With a history also undefined
 * until the history has it, and never within a minute of its end.
 */
export function expiresAt(
  zipJob: ZipJob,
  settings: ExpirySettings,
  facts: ExpiryFacts = {},
): Date | undefined {
  const finishedAt = timeOf(zipJob.status?.finishedAt);
  if (finishedAt === undefined || awaitsWebhookOrExit(zipJob)) return undefined;
  if (facts.listUsers?.every(isFinished) === false) return undefined;
  const at = ttlEndsAt(zipJob, finishedAt, { settings, facts });
  if (at === undefined) return undefined;
  return new Date(hasHistory(settings) ? Math.max(at, finishedAt + SHORTEST_KEPT_MS) : at);
}

/** True if the file list belongs to this job. A rerun uses the file list of the original job. */
function ownsList({ metadata, spec }: ZipJob): boolean {
  return (
    spec.filesFrom !== undefined &&
    fileListOwner(spec.filesFrom.secretNames) === metadata.name &&
    !isFileListDeleted({ metadata })
  );
}

/**
 * When the Secrets with the file list of a finished ZipJob are deleted. Counted from the end of the last job that used
 * them. Undefined if they no longer exist or are in use.
 */
export function fileListExpiresAt(
  zipJob: ZipJob,
  settings: ExpirySettings,
  listUsers: readonly ZipJob[] = [],
): Date | undefined {
  const ends = [zipJob, ...listUsers].map(({ status }) => timeOf(status?.finishedAt));
  const known = ends.filter((end) => end !== undefined);
  if (known.length < ends.length || !ownsList(zipJob)) return undefined;
  return new Date(Math.max(...known) + settings.fileListTtlSeconds * 1000);
}

/** What finished jobs leave behind and is deleted before its time, because there is too much of it. */
export interface Surplus {
  readonly surplusJobs: SurplusJobs;
  readonly finishedPods: FinishedPods;
  readonly quotaRoom: QuotaRoom;
}

interface SurplusOptions {
  readonly config: ControllerConfig;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly clients: Pick<Clients, 'jobs'>;
}

interface SurplusTargets {
  readonly queue: Pick<WorkQueue, 'add'>;
  /** A standby replica chooses too, but its choice is only used once it leads. */
  readonly leadership: { readonly isOurs: boolean };
  readonly caches: () => Pick<Caches, 'zipJobs' | 'jobs' | 'pods'>;
}

/** Only the log names a nearly full project: metrics have no project label. */
export function createSurplus(
  { config, log, metrics, clock, stopping: signal, clients }: SurplusOptions,
  limitsOf: (namespace: string) => ProjectLimits,
  { queue, leadership, caches }: SurplusTargets,
): Surplus {
  return {
    surplusJobs: createSurplusJobs({
      limitsOf,
      config,
      clock,
      signal,
      onSurplus: (project, keys) => {
        if (!leadership.isOurs) return;
        metrics.surplusJobs.inc(keys.length);
        log.info({ project, jobs: keys.length }, 'a project is nearly full: its oldest jobs expire');
        for (const key of keys) queue.add(key);
      },
    }),
    finishedPods: createFinishedPods({
      maxPods: config.maxFinishedPods,
      expiresAt: (key) => {
        const zipJob = caches().zipJobs.get(key);
        return zipJob && podsExpireAt(zipJob, config);
      },
      clock,
      signal,
      onSurplus: (keys) => {
        if (!leadership.isOurs) return;
        metrics.surplusPods.inc(keys.length);
        log.info(
          { jobs: keys.length },
          'there are many ended pods: those of finished jobs are deleted early',
        );
        for (const key of keys) queue.add(key);
      },
    }),
    quotaRoom: createQuotaRoom({
      caches,
      jobs: clients.jobs,
      expiresAt: (zipJob) => podsExpireAt(zipJob, config),
      metrics,
      clock,
      log,
    }),
  };
}

import { Gauge, type Registry } from 'prom-client';
import { isFinished, PHASES, type ZipJob } from '#crds/zip-job.ts';
import { isWebhookPending, OVERDUE_GRACE_MS, stuckReason } from '#crds/zip-job-facts.ts';
import type { ProjectLabels } from '#runtime/metrics/project-labels.ts';
import type { RestingCounts } from '../cluster/resting-counts.ts';
import { timeOf } from '../cluster/times.ts';
import type { WorkQueue } from '../reconciling/work-queue.ts';
import { deadlineSeconds } from './policies/deadline.ts';

export interface ScrapeSources {
  /** Those that may change. */
  readonly zipJobs: () => Iterable<ZipJob>;
  readonly resting: Pick<RestingCounts, 'counts'>;
  readonly projects: Pick<ProjectLabels, 'labelOf' | 'rest'>;
  /** By the name of the work queue in its other metrics. */
  readonly queues: Readonly<Record<string, Pick<WorkQueue, 'longestRunningMs' | 'unfinishedMs'>>>;
  /** Default time limit of a job. */
  readonly defaultDeadlineSeconds: (zipJob: ZipJob) => number;
  readonly heldBuckets: () => number;
  /** Undefined without a history. */
  readonly archiver: { readonly size: number; readonly oldestMs: () => number | undefined } | undefined;
  readonly now: () => Date;
}

function isQueued({ spec, status }: ZipJob): boolean {
  return spec.suspend !== true && (status?.phase === undefined || status.phase === 'Queued');
}

function acceptedAt({ metadata, status }: ZipJob): number | undefined {
  return timeOf(status?.acceptedAt ?? metadata.creationTimestamp);
}

/** When the webhook became due; undefined if no delivery is pending. */
function notifiedSince(zipJob: ZipJob): number | undefined {
  return isWebhookPending(zipJob) ? timeOf(zipJob.status?.finishedAt) : undefined;
}

function isOverdue(zipJob: ZipJob, sources: ScrapeSources): boolean {
  const startedAt = timeOf(zipJob.status?.startedAt);
  if (startedAt === undefined || isFinished(zipJob)) return false;
  const activeDeadlineSeconds = sources.defaultDeadlineSeconds(zipJob);
  const limitMs = deadlineSeconds(zipJob, { activeDeadlineSeconds }) * 1000;
  return sources.now().getTime() > startedAt + limitMs + OVERDUE_GRACE_MS;
}

type ByProject = (zipJob: ZipJob) => number | undefined;

/** Combines the jobs of projects that share a value of the label. */
const FOLDS = { sum: (one: number, other: number) => one + other, max: Math.max } as const;

function phaseGauges(registry: Registry, { zipJobs, resting, now, projects }: ScrapeSources): void {
  new Gauge({
    name: 'zip_jobs',
    help: 'ZipJobs by project and phase, counted in the cache at scrape. A project has no series of a phase in which it has no jobs',
    labelNames: ['project', 'phase'],
    registers: [registry],
    collect() {
      this.reset();
      for (const phase of ['New', ...PHASES]) this.set({ project: projects.rest, phase }, 0);
      for (const { project, phase, count } of resting.counts())
        this.inc({ project: projects.labelOf(project), phase }, count);
      for (const { metadata, status } of zipJobs())
        this.inc({ project: projects.labelOf(metadata.namespace), phase: status?.phase ?? 'New' });
    },
  });
  new Gauge({
    name: 'zip_jobs_stuck',
    help: 'Stuck ZipJobs, by project and reason, such as ImagePull, Unschedulable, ContainerConfig, QuotaExceeded, AdmissionRefused, NodeSilent, NoProgress or Recovering. AwaitingQueue counts those that the queue in spec.queueName holds',
    labelNames: ['project', 'reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const zipJob of zipJobs()) {
        const reason = stuckReason(zipJob, now());
        if (reason !== undefined) this.inc({ project: projects.labelOf(zipJob.metadata.namespace), reason });
      }
    },
  });
}

/** Gauges with the label `project` of the jobs for which `valueOf` has a value; 0 for `_other` without any. */
function projectGauges(registry: Registry, { zipJobs, projects }: ScrapeSources) {
  return (
    [name, help]: readonly [string, string],
    fold: (typeof FOLDS)[keyof typeof FOLDS],
    valueOf: ByProject,
  ) => {
    new Gauge({
      name,
      help,
      labelNames: ['project'],
      registers: [registry],
      collect() {
        const values = new Map([[projects.rest, 0]]);
        for (const zipJob of zipJobs()) {
          const value = valueOf(zipJob);
          if (value === undefined) continue;
          const project = projects.labelOf(zipJob.metadata.namespace);
          values.set(project, fold(values.get(project) ?? 0, value));
        }
        this.reset();
        for (const [project, value] of values) this.set({ project }, value);
      },
    });
  };
}

function jobGauges(registry: Registry, sources: ScrapeSources): void {
  const gauge = projectGauges(registry, sources);
  function secondsSince(sinceMs: number | undefined): number | undefined {
    return sinceMs === undefined ? undefined : Math.max(0, sources.now().getTime() - sinceMs) / 1000;
  }
  gauge(
    [
      'zip_jobs_oldest_queued_seconds',
      'Age of the oldest queued ZipJob, by project, excluding suspended ones',
    ],
    FOLDS.max,
    (zipJob) => (isQueued(zipJob) ? secondsSince(acceptedAt(zipJob)) : undefined),
  );
  gauge(
    ['zip_jobs_overdue', 'ZipJobs that are still unfinished ten minutes after their deadline, by project'],
    FOLDS.sum,
    (zipJob) => (isOverdue(zipJob, sources) ? 1 : undefined),
  );
  gauge(['zip_webhooks_pending', 'Pending webhooks, by project'], FOLDS.sum, (zipJob) =>
    notifiedSince(zipJob) === undefined ? undefined : 1,
  );
  gauge(
    ['zip_webhook_oldest_pending_seconds', 'Age of the oldest pending webhook, by project'],
    FOLDS.max,
    (zipJob) => secondsSince(notifiedSince(zipJob)),
  );
}

function stateGauges(registry: Registry, { heldBuckets, archiver, now }: ScrapeSources): void {
  function gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  }
  gauge(
    'zip_buckets_held',
    'ZipBuckets whose store does not respond, so that one job at a time tries it and the others wait',
    heldBuckets,
  );
  gauge(
    'zip_history_pending',
    'Finished ZipJobs that are not archived in the history database yet, including those that are tried again later',
    () => archiver?.size ?? 0,
  );
  gauge(
    'zip_history_oldest_pending_seconds',
    'Time since the end of the oldest ZipJob that is not archived in the history database yet',
    () => {
      const oldestMs = archiver?.oldestMs();
      return oldestMs === undefined ? 0 : Math.max(0, now().getTime() - oldestMs) / 1000;
    },
  );
}

function queueGauges(registry: Registry, queues: ScrapeSources['queues']): void {
  function gauge(name: string, help: string, ms: (queue: ScrapeSources['queues'][string]) => number): void {
    new Gauge({
      name,
      help,
      labelNames: ['name'],
      registers: [registry],
      collect() {
        for (const [queue, source] of Object.entries(queues)) this.set({ name: queue }, ms(source) / 1000);
      },
    });
  }
  gauge('workqueue_longest_running_processor_seconds', 'Duration of the longest running reconcile', (queue) =>
    queue.longestRunningMs(),
  );
  gauge('workqueue_unfinished_work_seconds', 'Total duration of the running reconciles', (queue) =>
    queue.unfinishedMs(),
  );
}

/** Gauges that are computed from the caches and queues at each scrape, so that they are correct at once after a failover. */
export function collectAtScrape(registry: Registry, sources: ScrapeSources): void {
  phaseGauges(registry, sources);
  jobGauges(registry, sources);
  stateGauges(registry, sources);
  queueGauges(registry, sources.queues);
}

import { Gauge, type Registry } from 'prom-client';
import { isFinished, PHASES, type ZipJob } from '#crds/zip-job.ts';
import { OVERDUE_GRACE_MS, stuckReason } from '#crds/zip-job-facts.ts';
import type { RestingCounts } from '../cluster/resting-counts.ts';
import { timeOf } from '../cluster/times.ts';
import type { WorkQueue } from '../reconciling/work-queue.ts';
import { deadlineSeconds } from './policies/deadline.ts';

export interface ScrapeSources {
  /** Those that may change. */
  readonly zipJobs: () => Iterable<ZipJob>;
  readonly resting: Pick<RestingCounts, 'ofPhase'>;
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
function notifiedSince({ status }: ZipJob): number | undefined {
  return status?.webhook?.state === 'Pending' ? timeOf(status.finishedAt) : undefined;
}

function isOverdue(zipJob: ZipJob, sources: ScrapeSources): boolean {
  const startedAt = timeOf(zipJob.status?.startedAt);
  if (startedAt === undefined || isFinished(zipJob)) return false;
  const activeDeadlineSeconds = sources.defaultDeadlineSeconds(zipJob);
  const limitMs = deadlineSeconds(zipJob, { activeDeadlineSeconds }) * 1000;
  return sources.now().getTime() > startedAt + limitMs + OVERDUE_GRACE_MS;
}

function phaseGauges(registry: Registry, { zipJobs, resting, now }: ScrapeSources): void {
  new Gauge({
    name: 'zip_jobs',
    help: 'ZipJobs by phase, counted in the cache at scrape',
    labelNames: ['phase'],
    registers: [registry],
    collect() {
      this.set({ phase: 'New' }, 0);
      for (const phase of PHASES) this.set({ phase }, resting.ofPhase(phase));
      for (const { status } of zipJobs()) this.inc({ phase: status?.phase ?? 'New' });
    },
  });
  new Gauge({
    name: 'zip_jobs_stuck',
    help: 'Stuck ZipJobs, by reason, such as ImagePull, Unschedulable, ContainerConfig, QuotaExceeded, AdmissionRefused, NodeSilent, NoProgress or Recovering. AwaitingQueue counts those that the queue in spec.queueName holds',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const zipJob of zipJobs()) {
        const reason = stuckReason(zipJob, now());
        if (reason !== undefined) this.inc({ reason });
      }
    },
  });
}

function gaugesIn(registry: Registry) {
  return (name: string, help: string, value: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  };
}

function jobGauges(registry: Registry, sources: ScrapeSources): void {
  const { zipJobs, now } = sources;
  const gauge = gaugesIn(registry);
  function count(isOne: (zipJob: ZipJob) => boolean): number {
    let sum = 0;
    for (const zipJob of zipJobs()) if (isOne(zipJob)) sum += 1;
    return sum;
  }
  function oldestSeconds(since: (zipJob: ZipJob) => number | undefined): number {
    let oldestMs = 0;
    for (const zipJob of zipJobs())
      oldestMs = Math.max(oldestMs, now().getTime() - (since(zipJob) ?? Infinity));
    return oldestMs / 1000;
  }
  gauge('zip_jobs_oldest_queued_seconds', 'Age of the oldest queued ZipJob, excluding suspended ones', () =>
    oldestSeconds((zipJob) => (isQueued(zipJob) ? acceptedAt(zipJob) : undefined)),
  );
  gauge('zip_jobs_overdue', 'ZipJobs that are still unfinished ten minutes after their deadline', () =>
    count((zipJob) => isOverdue(zipJob, sources)),
  );
  gauge(
    'zip_buckets_held',
    'ZipBuckets whose store does not respond, so that one job at a time tries it and the others wait',
    sources.heldBuckets,
  );
  gauge('zip_webhooks_pending', 'Pending webhooks', () =>
    count((zipJob) => notifiedSince(zipJob) !== undefined),
  );
  gauge('zip_webhook_oldest_pending_seconds', 'Age of the oldest pending webhook', () =>
    oldestSeconds(notifiedSince),
  );
  gauge(
    'zip_history_pending',
    'Finished ZipJobs that are not archived in the history database yet, including those that are tried again later',
    () => sources.archiver?.size ?? 0,
  );
  gauge(
    'zip_history_oldest_pending_seconds',
    'Time since the end of the oldest ZipJob that is not archived in the history database yet',
    () => {
      const oldestMs = sources.archiver?.oldestMs();
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
  queueGauges(registry, sources.queues);
}

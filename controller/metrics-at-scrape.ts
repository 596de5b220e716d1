import { Gauge, type Registry } from 'prom-client';
import { findCondition } from '#crds/conditions.ts';
import { PHASES, type ZipJob } from '#crds/zip-job.ts';
import type { Watches } from './watches.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ScrapeSources {
  readonly zipJobs: () => Iterable<ZipJob>;
  readonly watches: Pick<Watches, 'silenceMs'>;
  readonly queue: Pick<WorkQueue, 'longestRunningMs' | 'unfinishedMs'>;
}

const seconds = (registry: Registry, name: string, source: { help: string; ms: () => number }): void => {
  new Gauge({
    name,
    help: source.help,
    registers: [registry],
    collect() {
      this.set(source.ms() / 1000);
    },
  });
};

/** Oldest delivery that is due, in milliseconds. */
const oldestDueMs = (zipJobs: Iterable<ZipJob>, now: number): number => {
  let oldest = 0;
  for (const { status } of zipJobs) {
    if (status?.webhook?.state !== 'Pending') continue;
    oldest = Math.max(oldest, now - Date.parse(status.finishedAt ?? ''));
  }
  return Number.isNaN(oldest) ? 0 : oldest;
};

const phaseGauges = (registry: Registry, zipJobs: ScrapeSources['zipJobs']): void => {
  new Gauge({
    name: 'zip_jobs',
    help: 'ZipJobs by phase, counted in the cache at scrape',
    labelNames: ['phase'],
    registers: [registry],
    collect() {
      for (const phase of ['New', ...PHASES]) this.set({ phase }, 0);
      for (const { status } of zipJobs()) this.inc({ phase: status?.phase ?? 'New' });
    },
  });
  new Gauge({
    name: 'zip_jobs_stuck',
    help: 'ZipJobs that something outside holds up, by reason',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { status } of zipJobs()) {
        const waiting = findCondition(status?.conditions, 'Waiting');
        if (waiting?.status === 'True') this.inc({ reason: waiting.reason });
      }
    },
  });
};

/** Gauges that are read off the caches and queues at each scrape, so that they are right at once after a failover. */
export const collectAtScrape = (registry: Registry, sources: ScrapeSources): void => {
  const { zipJobs, watches, queue } = sources;
  phaseGauges(registry, zipJobs);
  seconds(registry, 'zip_webhook_oldest_pending_seconds', {
    help: 'Age of the oldest webhook that is still to be delivered',
    ms: () => oldestDueMs(zipJobs(), Date.now()),
  });
  seconds(registry, 'zip_reflector_last_event_age_seconds', {
    help: 'Longest time that one of the watches has heard nothing',
    ms: () => watches.silenceMs(),
  });
  seconds(registry, 'workqueue_longest_running_processor_seconds', {
    help: 'Time spent on the ZipJob that is longest in work',
    ms: () => queue.longestRunningMs(),
  });
  seconds(registry, 'workqueue_unfinished_work_seconds', {
    help: 'Sum of the time spent on ZipJobs that are in work',
    ms: () => queue.unfinishedMs(),
  });
};

import type { Registry } from 'prom-client';
import type { ProjectLimits } from '#crds/zip-project.ts';
import { collectCaches } from '#runtime/kube/kube-metrics.ts';
import type { ProjectLabels } from '#runtime/metrics/project-labels.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { CHANGING, INDEXES } from '../cluster/caches.ts';
import type { RestingCounts } from '../cluster/resting-counts.ts';
import type { ControllerConfig } from '../config/config.ts';
import type { History } from '../history/history.ts';
import type { ControllerMetrics } from '../metrics.ts';
import type { StoreOutages } from '../queue/store-outages.ts';
import { SIDE_WORKERS } from '../reconciling/controller.ts';
import { ZIPBUCKET, ZIPJOB, ZIPPROJECT } from '../reconciling/measure-reconcile.ts';
import type { WorkQueue } from '../reconciling/work-queue.ts';
import type { Watches } from '../watches.ts';
import { collectAtScrape } from '../zip-job/metrics-at-scrape.ts';
import { defaultDeadlineSeconds } from '../zip-job/policies/archive-size.ts';

export interface StateSources {
  readonly config: Pick<ControllerConfig, 'activeDeadlineSeconds' | 'workers'>;
  readonly metrics: Pick<ControllerMetrics, 'maxWorkers'>;
  readonly watches: Pick<Watches, 'caches'>;
  readonly restingCounts: Pick<RestingCounts, 'counts'>;
  readonly projectLabels: ProjectLabels;
  readonly storeOutages: Pick<StoreOutages, 'held'>;
  readonly history: Pick<History, 'archiver'> | undefined;
  readonly queue: Pick<WorkQueue, 'longestRunningMs' | 'unfinishedMs'>;
  readonly projectQueue: Pick<WorkQueue, 'longestRunningMs' | 'unfinishedMs'>;
  readonly bucketQueue: Pick<WorkQueue, 'longestRunningMs' | 'unfinishedMs'>;
  readonly limitsIn: (namespace: string) => Pick<ProjectLimits, 'archiveBytes'>;
  readonly clock: Pick<Clock, 'date'>;
}

/** Gauges of the caches and queues, exported by the leader and by standby replicas. */
export function exportState(registry: Registry, sources: StateSources): void {
  const {
    config,
    metrics,
    watches,
    restingCounts,
    projectLabels,
    history,
    queue,
    projectQueue,
    bucketQueue,
    clock,
    storeOutages,
    limitsIn,
  } = sources;
  const { zipJobs, jobs, pods, buckets, projects, namespaces } = watches.caches;
  collectAtScrape(registry, {
    zipJobs: () => zipJobs.byClusterIndex(INDEXES.changing, CHANGING),
    resting: restingCounts,
    projects: projectLabels,
    queues: { [ZIPJOB]: queue, [ZIPPROJECT]: projectQueue, [ZIPBUCKET]: bucketQueue },
    defaultDeadlineSeconds: ({ metadata }) =>
      defaultDeadlineSeconds(limitsIn(metadata.namespace).archiveBytes, config),
    heldBuckets: () => storeOutages.held,
    archiver: history?.archiver,
    now: () => clock.date(),
  });
  const kinds = {
    ZipJob: zipJobs,
    Job: jobs,
    Pod: pods,
    ZipBucket: buckets,
    ZipProject: projects,
    Namespace: namespaces,
  };
  collectCaches(registry, kinds);
  metrics.maxWorkers.set({ controller: ZIPJOB }, config.workers);
  metrics.maxWorkers.set({ controller: ZIPPROJECT }, SIDE_WORKERS);
  metrics.maxWorkers.set({ controller: ZIPBUCKET }, SIDE_WORKERS);
}

import type { ProjectLimits } from '#crds/zip-project.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Logger } from '#runtime/log.ts';
import type { ControllerConfig } from './config.ts';
import type { WorkQueue } from './engine/work-queue.ts';
import type { Caches } from './kube-state/caches.ts';
import type { ControllerMetrics } from './metrics.ts';
import { createFinishedPods, type FinishedPods } from './zip-job/lifetime/finished-pods.ts';
import { podsExpireAt } from './zip-job/lifetime/lifetime.ts';
import { createSurplusJobs, type SurplusJobs } from './zip-job/lifetime/surplus-jobs.ts';

/** What finished jobs leave behind and is deleted before its time, because there is too much of it. */
export interface Surplus {
  readonly surplusJobs: SurplusJobs;
  readonly finishedPods: FinishedPods;
}

interface SurplusOptions {
  readonly config: ControllerConfig;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
}

interface SurplusTargets {
  readonly queue: Pick<WorkQueue, 'add'>;
  /** A standby replica chooses too, but its choice is only used once it leads. */
  readonly leadership: { readonly isOurs: boolean };
  readonly caches: () => Pick<Caches, 'zipJobs'>;
}

/** Only the log names a nearly full project: metrics have no project label. */
export function createSurplus(
  { config, log, metrics, clock, stopping: signal }: SurplusOptions,
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
  };
}

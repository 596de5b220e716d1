import type { ControllerMetrics } from '../metrics.ts';
import type { WorkQueueMetrics } from './work-queue.ts';

/** The metrics of one work queue under client-go's names. */
export function workQueueMetrics({ queue }: ControllerMetrics, name: string): WorkQueueMetrics {
  return {
    depth: (keys) => {
      queue.depth.set({ name }, keys);
    },
    added: () => {
      queue.adds.inc({ name });
    },
    retried: () => {
      queue.retries.inc({ name });
    },
    started: (seconds) => {
      queue.queued.observe({ name }, seconds);
    },
    finished: (seconds) => {
      queue.worked.observe({ name }, seconds);
    },
  };
}

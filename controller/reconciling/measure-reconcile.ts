import type { Clock } from '#runtime/time/clock.ts';
import type { ControllerMetrics } from '../metrics.ts';

/** Names of the controllers, in metrics and logs. */
export const ZIPJOB = 'zipjob';
export const ZIPPROJECT = 'zipproject';
export const ZIPBUCKET = 'zipbucket';

export type ReconcileOutcome = 'success' | 'requeue' | 'requeue_after';

export interface ReconcileMeasure {
  readonly metrics: Pick<ControllerMetrics, 'reconciles' | 'errors' | 'seconds' | 'activeWorkers'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly controller: typeof ZIPJOB | typeof ZIPPROJECT | typeof ZIPBUCKET;
}

/** Records one reconcile under the metric names of controller-runtime; rethrows errors. */
export async function measureReconcile(
  { metrics, clock, controller }: ReconcileMeasure,
  round: () => Promise<ReconcileOutcome>,
): Promise<void> {
  const started = clock.monotonicMs();
  metrics.activeWorkers.inc({ controller });
  try {
    metrics.reconciles.inc({ controller, result: await round() });
  } catch (error) {
    metrics.reconciles.inc({ controller, result: 'error' });
    metrics.errors.inc({ controller });
    throw error;
  } finally {
    metrics.activeWorkers.dec({ controller });
    metrics.seconds.observe({ controller }, (clock.monotonicMs() - started) / 1000);
  }
}

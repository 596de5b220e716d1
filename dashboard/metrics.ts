import { Counter, type Registry } from 'prom-client';
import { createRequestMetrics, type RequestMetrics } from '#runtime/http/request-metrics.ts';

export interface DashboardMetrics extends RequestMetrics {
  readonly uncounted: Counter;
}

/** Every metric of the dashboard. */
export const createDashboardMetrics = (registry: Registry): DashboardMetrics => ({
  ...createRequestMetrics(registry, 'zip_dashboard'),
  uncounted: new Counter({
    name: 'zip_dashboard_rate_limits_skipped_total',
    help: 'Sign-in attempts that were accepted without being counted because Redis did not respond.',
    registers: [registry],
  }),
});

import { Counter, type Registry } from 'prom-client';
import { createRequestMetrics, type RequestMetrics } from '#runtime/http/request-metrics.ts';

export interface DashboardMetrics extends RequestMetrics {
  readonly uncounted: Counter;
  readonly overloads: Counter<'limit'>;
  readonly sessionsLimited: Counter;
  readonly sharedReads: Counter<'kind'>;
}

function overloadCounter(registry: Registry): DashboardMetrics['overloads'] {
  const overloads = new Counter({
    name: 'zip_dashboard_overloads_total',
    help: 'Requests that returned 503 because the dashboard was busy, by limit: requests, forms (bytes in memory), exports (CSV files), searches (of the history), or lists (of buckets, tokens and role bindings).',
    labelNames: ['limit'],
    registers: [registry],
  });
  for (const limit of ['requests', 'forms', 'exports', 'searches', 'lists']) overloads.inc({ limit }, 0);
  return overloads;
}

/** Every metric of the dashboard. */
export function createDashboardMetrics(registry: Registry): DashboardMetrics {
  return {
    ...createRequestMetrics(registry, 'zip_dashboard'),
    uncounted: new Counter({
      name: 'zip_dashboard_rate_limits_skipped_total',
      help: 'Sign-in attempts and requests that were accepted without being counted because Redis did not respond or refused.',
      registers: [registry],
    }),
    sessionsLimited: new Counter({
      name: 'zip_dashboard_rate_limited_total',
      help: 'Requests that returned 429 because their session sent too many.',
      registers: [registry],
    }),
    sharedReads: new Counter({
      name: 'zip_dashboard_shared_reads_total',
      help: 'Requests that used the result of another request of the same user, by kind: log, search, or sources (failing files of a stored file list).',
      labelNames: ['kind'],
      registers: [registry],
    }),
    overloads: overloadCounter(registry),
  };
}

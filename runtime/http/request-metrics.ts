import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../time/clock.ts';
import type { ReadForwarded } from './client-address.ts';
import type { RequestMiddleware } from './request-state.ts';
import { statusClass } from './status-class.ts';

export interface RequestMetrics {
  readonly requestDuration: Histogram<'route' | 'method' | 'status'>;
  readonly requestsInFlight: Gauge;
  readonly unreadableClients: Counter;
}

/** The metrics of a process that serves requests; `prefix` is `zip_api`, for example. */
export function createRequestMetrics(registry: Registry, prefix: string): RequestMetrics {
  return {
    requestDuration: new Histogram({
      name: `${prefix}_request_duration_seconds`,
      help: 'Time from the request headers to the response, by route template, method and status class.',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [registry],
    }),
    requestsInFlight: new Gauge({
      name: `${prefix}_requests_in_flight`,
      help: 'Requests in progress.',
      registers: [registry],
    }),
    unreadableClients: new Counter({
      name: `${prefix}_unreadable_client_addresses_total`,
      help: 'Requests whose X-Forwarded-For has no readable address of the client. They count for the address of the proxy.',
      registers: [registry],
    }),
  };
}

/** Other methods share one label value, so that callers cannot create series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface MeasureRequestDeps {
  readonly metrics: RequestMetrics;
  readonly clock: Clock;
  readonly readForwarded: ReadForwarded;
}

/** Measures requests by route template, method and status class. */
export function createMeasureRequest({
  metrics,
  clock,
  readForwarded,
}: MeasureRequestDeps): RequestMiddleware {
  return async (ctx, next): Promise<void> => {
    const startedAt = clock.monotonicMs();
    metrics.requestsInFlight.inc();
    if (readForwarded(ctx.req).isUnreadable) metrics.unreadableClients.inc();
    try {
      await next();
    } finally {
      metrics.requestsInFlight.dec();
      metrics.requestDuration.observe(
        {
          route: ctx.state.route ?? 'unknown',
          method: METHODS.has(ctx.method) ? ctx.method : 'other',
          status: statusClass(ctx.status),
        },
        (clock.monotonicMs() - startedAt) / 1000,
      );
    }
  };
}

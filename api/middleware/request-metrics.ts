import type { Clock } from '#runtime/clock.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ApiMetrics } from '../metrics.ts';

/** Other methods share one label value, so that callers cannot create series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Measures requests by route template, method and status class. */
export const createRequestMetrics =
  ({ metrics, clock }: { readonly metrics: ApiMetrics; readonly clock: Clock }): ApiMiddleware =>
  async (ctx, next): Promise<void> => {
    const startedAt = clock.monotonicMs();
    metrics.requestsInFlight.inc();
    try {
      await next();
    } finally {
      metrics.requestsInFlight.dec();
      metrics.requestDuration.observe(
        {
          route: ctx.state.route ?? 'unknown',
          method: METHODS.has(ctx.method) ? ctx.method : 'other',
          status: `${Math.floor(ctx.status / 100)}xx`,
        },
        (clock.monotonicMs() - startedAt) / 1000,
      );
    }
  };

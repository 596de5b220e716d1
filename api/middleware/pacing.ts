import type { Clock } from '#runtime/clock.ts';
import type { ApiMiddleware } from '../context.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';

/**
 * Delays requests of a token or project that sends them much faster than its limit per minute allows on average, so that it
 * cannot use the service for seconds at a time. Must follow the limit of requests in flight, which bounds how many wait, and
 * precede the reading of the body.
 */
export const createPacing =
  ({ delayMs }: Pick<RateLimits, 'delayMs'>, clock: Pick<Clock, 'after'>): ApiMiddleware =>
  async (ctx, next) => {
    const { principal } = ctx.state;
    const ms = principal === undefined ? 0 : delayMs(principal);
    if (ms >= 1) await new Promise<void>((resolve) => void clock.after(ms, resolve));
    await next();
  };

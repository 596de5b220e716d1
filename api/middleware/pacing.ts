import type { Clock } from '#runtime/clock.ts';
import { rateLimitExceeded } from '../api-error.ts';
import type { ApiMiddleware } from '../context.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { MAX_DELAY_MS } from '../rate-limits/request-pace.ts';

export interface PacingDeps {
  readonly rateLimits: Pick<RateLimits, 'delayMs'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly onDelayed: () => void;
  readonly onExceeded: () => void;
}

/**
 * Delays requests of a token or project that sends them much faster than its limit per minute allows on average, so that it
 * cannot use the service for seconds at a time. Must follow the limit of requests in flight, which bounds how many wait, and
 * the reading of the body, so that its bytes count.
 */
export const createPacing =
  ({ rateLimits, clock, onDelayed, onExceeded }: PacingDeps): ApiMiddleware =>
  async (ctx, next) => {
    const { principal } = ctx.state;
    const ms = principal === undefined ? 0 : rateLimits.delayMs(principal);
    if (ms === Infinity) {
      onExceeded();
      throw rateLimitExceeded('requests per second', MAX_DELAY_MS / 1_000);
    }
    if (ms >= 1) {
      onDelayed();
      ctx.state.delayedMs = Math.round(ms);
      await new Promise<void>((resolve) => void clock.after(ms, resolve));
    }
    await next();
  };

import type { Clock } from '#runtime/clock.ts';
import type { ApiMiddleware } from '../context.ts';
import { type Delay, refusalOf } from '../rate-limits/delay.ts';
import { MAX_DELAY_MS } from '../rate-limits/request-pace.ts';
import type { Principal } from '../tokens/authenticate.ts';

export interface PacingDeps {
  /** The longest wait of a request. */
  readonly delayOf: (principal: Principal) => Delay;
  readonly clock: Pick<Clock, 'after'>;
  readonly onDelayed: (limit: Delay['limit']) => void;
  readonly onExceeded: (limit: Delay['limit']) => void;
}

/**
 * Delays requests of a token or project that sends them faster than its limits per second allow, so that it
 * cannot use the service for seconds at a time. Those that are refused wait too: clients that ignore Retry-After would
 * otherwise repeat them at once. Must follow the limit of requests in flight, which bounds how many wait, and
 * the reading of the body, so that its bytes count.
 */
export function createPacing({ delayOf, clock, onDelayed, onExceeded }: PacingDeps): ApiMiddleware {
  return async (ctx, next) => {
    const { principal } = ctx.state;
    if (principal === undefined) return next();
    const delay = delayOf(principal);
    const refusal = refusalOf(delay);
    if (refusal !== undefined) onExceeded(delay.limit);
    else if (delay.ms >= 1) onDelayed(delay.limit);
    const ms = Math.min(delay.ms, MAX_DELAY_MS);
    if (ms >= 1) {
      ctx.state.delayedMs = Math.round(ms);
      await new Promise<void>((resolve) => void clock.after(ms, resolve));
    }
    if (refusal !== undefined) throw refusal;
    await next();
  };
}

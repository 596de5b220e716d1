import { createTaskQueue } from '#runtime/fair/task-queue.ts';
import type { Clock } from '#runtime/time/clock.ts';
import {
  type InFlightLimits,
  LIMITS,
  longestDelay,
  type Moment,
  type Operation,
} from '../limits/all-limits.ts';
import { refusalOf } from '../limits/delay.ts';
import { createInFlight, type InFlight } from '../limits/in-flight.ts';
import { MAX_DELAY_MS } from '../limits/request-pace.ts';
import type { SecondLimits } from '../limits/second-limits.ts';
import type { ApiMetrics } from '../metrics.ts';
import { type ApiMiddleware, projectOf } from './context.ts';

export interface WalkDeps {
  readonly inFlight: InFlightLimits;
  readonly rateLimits: Pick<SecondLimits, 'delaysMs'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly metrics: Pick<ApiMetrics, 'delayed' | 'rateLimited' | 'overloads'>;
}

/**
 * Delays requests of a token or project that sends them faster than its limits per second allow, so that it
 * cannot use the service for seconds at a time. Those that are refused wait too: clients that ignore Retry-After would
 * otherwise repeat them at once. Must follow the limit of requests in flight, which bounds how many wait, and
 * the reading of the body, so that its bytes count.
 */
function createPacing({ rateLimits, clock, metrics }: WalkDeps, operation: Operation): ApiMiddleware {
  return async (ctx, next) => {
    const { principal } = ctx.state;
    if (principal === undefined) return next();
    const delay = longestDelay(rateLimits, principal, operation);
    const refusal = refusalOf(delay);
    if (refusal !== undefined) metrics.rateLimited.inc({ limit: delay.limit });
    else if (delay.ms >= 1) metrics.delayed.inc({ limit: delay.limit });
    const ms = Math.min(delay.ms, MAX_DELAY_MS);
    if (ms >= 1) {
      ctx.state.delayedMs = Math.round(ms);
      await new Promise<void>((resolve) => void clock.after(ms, resolve));
    }
    if (refusal !== undefined) throw refusal;
    await next();
  };
}

/**
 * Handles at most `max` requests at a time and serves projects round-robin. All requests share one event loop and the
 * connections to the API server, which know no projects: otherwise a request would wait behind every open request of a busy
 * project. Must follow the limits of requests in flight, which bound how many wait, and the reading of the body,
 * so that a slow sender occupies no place.
 */
function createActiveLimit(max: number): ApiMiddleware {
  const enqueue = createTaskQueue(max);
  return (ctx, next) => enqueue(ctx.state.principal?.namespace ?? '', next);
}

/** Counts each request as one until its response. Must follow the authentication. */
function createInFlightLimit(inFlight: InFlight): ApiMiddleware {
  return async (ctx, next): Promise<void> => {
    using share = inFlight.open(projectOf(ctx));
    share.take(1);
    await next();
  };
}

/** One after another. */
function inOrder(steps: readonly ApiMiddleware[]): ApiMiddleware {
  return (ctx, next) => {
    function run(index: number): Promise<unknown> {
      const step = steps[index];
      return Promise.resolve(step ? step(ctx, () => run(index + 1)) : next());
    }
    return run(0);
  };
}

/** Checks the rows of the table that apply to an operation at a moment, in their order. Operations share each row. */
export function createWalk(deps: WalkDeps): (at: Moment, operation: Operation) => ApiMiddleware {
  const { inFlight, metrics } = deps;
  function onRefused(limit: string): void {
    metrics.overloads.inc({ limit });
  }
  const places = LIMITS.flatMap((row) => {
    if (row.kind === 'rate') return [];
    const max = row.max(inFlight);
    const step =
      row.kind === 'share'
        ? createInFlightLimit(createInFlight({ name: row.limit, max, onRefused }))
        : createActiveLimit(max);
    return { row, step };
  });
  return (at, operation) => {
    function applies(row: (typeof LIMITS)[number]): boolean {
      return row.at === at && row.of.includes(operation);
    }
    const hasRates = LIMITS.some((row) => row.kind === 'rate' && applies(row));
    return inOrder([
      ...(hasRates ? [createPacing(deps, operation)] : []),
      ...places.filter(({ row }) => applies(row)).map(({ step }) => step),
    ]);
  };
}

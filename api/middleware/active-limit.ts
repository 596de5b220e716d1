import type { ApiMiddleware } from '../context.ts';
import { createQueue } from '../steps.ts';

/**
 * Handles at most `max` requests at a time and serves projects round-robin. All requests share one event loop and the
 * connections to the API server, which know no projects: otherwise a request would wait behind every open request of a busy
 * project. Must follow the limits of requests in flight, which bound how many wait, and the reading of the body,
 * so that a slow sender occupies no place.
 */
export function createActiveLimit(max: number): ApiMiddleware {
  const enqueue = createQueue(max);
  return (ctx, next) => enqueue(ctx.state.principal?.namespace ?? '', next);
}

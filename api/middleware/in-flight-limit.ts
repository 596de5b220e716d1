import type { ApiMiddleware } from '../context.ts';
import { projectOf } from '../context.ts';
import type { InFlight } from '../rate-limits/in-flight.ts';

/** Counts each request as one until its response. Must follow the authentication. */
export function createInFlightLimit(inFlight: InFlight): ApiMiddleware {
  return async (ctx, next): Promise<void> => {
    using share = inFlight.open(projectOf(ctx));
    share.take(1);
    await next();
  };
}

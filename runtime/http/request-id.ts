import { randomUUID } from 'node:crypto';
import type { RequestMiddleware } from './request-state.ts';

/** Characters that cannot forge a log line. */
const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/** Assigns the request id (the caller's if it is valid) and returns it in the response. */
export function createRequestId(): RequestMiddleware {
  return async (ctx, next): Promise<void> => {
    const given = ctx.get('X-Request-Id');
    ctx.state.requestId = ACCEPTED.test(given) ? given : randomUUID();
    ctx.set('X-Request-Id', ctx.state.requestId);
    await next();
  };
}

import { randomUUID } from 'node:crypto';
import type { ApiMiddleware } from '../context.ts';

/** What a caller may choose: nothing that could forge a line of a log. */
const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/** Gives the request its id (the caller's when it is harmless) and tells it in the answer. */
export const createRequestId =
  (): ApiMiddleware =>
  async (ctx, next): Promise<void> => {
    const given = ctx.get('X-Request-Id');
    ctx.state.requestId = ACCEPTED.test(given) ? given : randomUUID();
    ctx.set('X-Request-Id', ctx.state.requestId);
    await next();
  };

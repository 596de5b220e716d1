import type { ReadForwarded } from '#runtime/http/client-address.ts';
import { badRequest } from '../api-error.ts';
import type { ApiMiddleware } from '../context.ts';

/**
 * Refuses requests that reached the trusted proxy by plain HTTP. A redirect would hide the mistake: the token has
 * crossed the network in the clear by then, with every request again.
 */
export const createHttpsOnly =
  (readForwarded: ReadForwarded): ApiMiddleware =>
  async (ctx, next): Promise<void> => {
    if (readForwarded(ctx.req).protocol === 'http')
      throw badRequest(
        'https_required',
        'Use HTTPS. The access token of this request was sent in the clear: replace it.',
      );
    await next();
  };

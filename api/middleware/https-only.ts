import type { ReadForwarded } from '#runtime/http/client-address.ts';
import { badRequest } from '../api-error.ts';
import type { ApiMiddleware } from '../context.ts';

/**
 * Refuses requests that reached the trusted proxy over plain HTTP. A redirect would hide the mistake, and every request
 * would send the token unencrypted again.
 */
export function createHttpsOnly(readForwarded: ReadForwarded): ApiMiddleware {
  return async (ctx, next): Promise<void> => {
    if (readForwarded(ctx.req).protocol === 'http')
      throw badRequest(
        'https_required',
        'This request was sent over plain HTTP, so its access token may be compromised. Use HTTPS and rotate the token.',
      );
    await next();
  };
}

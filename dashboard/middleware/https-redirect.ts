import type { ReadForwarded } from '#runtime/http/client-address.ts';
import type { DashboardMiddleware } from '../context.ts';
import { localPath } from '../local-path.ts';
import { PageError } from '../page.ts';

/**
 * What reached the trusted proxy by plain HTTP: a page is sent on to HTTPS, where its address is told. A form has been read
 * by the network already, so it is refused.
 */
export const createHttpsRedirect =
  (deps: { readonly url: string; readonly readForwarded: ReadForwarded }): DashboardMiddleware =>
  async (ctx, next) => {
    if (deps.readForwarded(ctx.req).protocol !== 'http') return next();
    const isPage = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isPage || !deps.url.startsWith('https:'))
      throw new PageError(
        400,
        'Use HTTPS',
        'This request crossed the network in the clear. Open the dashboard by https://, and replace a token that you have just sent.',
      );
    ctx.redirect(new URL(localPath(ctx.url), deps.url).href);
    ctx.status = 308;
  };

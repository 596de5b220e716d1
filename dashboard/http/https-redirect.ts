import type { ReadForwarded } from '#runtime/http/client-address.ts';
import type { DashboardMiddleware } from './context.ts';
import { localPath } from './local-path.ts';
import { PageError } from './page.ts';

/**
 * Requests that reached the trusted proxy over plain HTTP: pages are redirected to HTTPS when DASHBOARD_URL is set. Forms and
 * tokens are refused, because the network could already read them.
 */
export function createHttpsRedirect(deps: {
  readonly url: string;
  readonly readForwarded: ReadForwarded;
}): DashboardMiddleware {
  return async (ctx, next) => {
    if (deps.readForwarded(ctx.req).protocol !== 'http') return next();
    const isPage = ['GET', 'HEAD'].includes(ctx.method) && ctx.get('Authorization') === '';
    if (!isPage || !deps.url.startsWith('https:'))
      throw new PageError(
        400,
        'Use HTTPS',
        'This request was sent over plain HTTP, so its token may be compromised. Open the dashboard over https:// and revoke any token you just sent.',
      );
    ctx.redirect(new URL(localPath(ctx.url), deps.url).href);
    ctx.status = 308;
  };
}

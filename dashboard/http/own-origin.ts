import type { DashboardContext, DashboardMiddleware } from './context.ts';
import { PageError } from './page.ts';

const SAFE = new Set(['GET', 'HEAD']);

function isOwnOrigin(ctx: DashboardContext, origin: string, url: string): boolean {
  return url === ''
    ? URL.parse(origin)?.host === ctx.get('Host').toLowerCase()
    : origin === URL.parse(url)?.origin;
}

/**
 * Whether the browser says that the request comes from our origin. Pages can set neither header. Browsers send Sec-Fetch-Site
 * only over HTTPS and to loopback addresses, and old ones never; then the Origin decides, and `null` is not ours.
 */
function isFromHere(ctx: DashboardContext, url: string): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  const origin = ctx.get('Origin');
  if (origin !== '' && origin !== 'null' && !isOwnOrigin(ctx, origin, url)) return false;
  return site === '' ? origin !== '' && origin !== 'null' : site === 'same-origin';
}

/** Refuses cross-site requests that could change something, before their body is read. */
export function createOwnOrigin({ url }: { readonly url: string }): DashboardMiddleware {
  return async (ctx, next) => {
    if (!SAFE.has(ctx.method) && !isFromHere(ctx, url))
      throw new PageError(
        403,
        'Request from another site',
        'This form was sent from another site. Open the dashboard and submit it there.',
      );
    await next();
  };
}

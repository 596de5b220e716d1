import type { DashboardContext, DashboardMiddleware } from '../context.ts';
import { PageError } from '../page.ts';

const SAFE = new Set(['GET', 'HEAD']);

const isOwnOrigin = (ctx: DashboardContext, origin: string, url: string): boolean =>
  url === '' ? URL.parse(origin)?.host === ctx.get('Host').toLowerCase() : origin === URL.parse(url)?.origin;

/**
 * What the browser says about where a request comes from. With our referrer policy a form's Origin is `null`, so the word
 * of Sec-Fetch-Site counts, which no page can choose; browsers without it name an origin.
 */
const isFromHere = (ctx: DashboardContext, url: string): boolean => {
  const site = ctx.get('Sec-Fetch-Site');
  const origin = ctx.get('Origin');
  if (origin !== '' && origin !== 'null' && !isOwnOrigin(ctx, origin, url)) return false;
  return site === '' ? origin !== '' && origin !== 'null' : site === 'same-origin';
};

/** Refuses whatever could change something and does not come from a page of ours, before its body is read. */
export const createOwnOrigin =
  ({ url }: { readonly url: string }): DashboardMiddleware =>
  async (ctx, next) => {
    if (!SAFE.has(ctx.method) && !isFromHere(ctx, url))
      throw new PageError(
        403,
        'Not from this dashboard',
        'This form was sent from another page. Open the dashboard and send it from there.',
      );
    await next();
  };

import type { DashboardContext } from './context.ts';

/**
 * False if the browser says that the request loads an image, a script or a frame, or prefetches a page. Another site can cause
 * such requests from the addresses of its visitors, without their knowledge. Pages cannot set these headers. Without them, the
 * client is a program, or the dashboard has no HTTPS: true.
 */
export function isNavigation(ctx: DashboardContext): boolean {
  const destination = ctx.get('Sec-Fetch-Dest');
  const isPrefetch = ctx.get('Sec-Purpose').startsWith('prefetch');
  return (destination === '' || destination === 'document') && !isPrefetch;
}

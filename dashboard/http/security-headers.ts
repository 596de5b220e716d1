import type { ReadForwarded } from '#runtime/http/client-address.ts';
import type { DashboardMiddleware } from './context.ts';

// No inline code and no other origins. form-action stops injected HTML from sending forms to another site.
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Keeps the Origin of our own forms, which `no-referrer` would replace by `null`.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cache-Control': 'no-store',
} as const;

const HSTS = 'max-age=31536000';

/** Sets the security headers of every response. */
export function createSecurityHeaders(deps: {
  readonly url: string;
  readonly readForwarded: ReadForwarded;
}): DashboardMiddleware {
  return async (ctx, next) => {
    ctx.set(HEADERS);
    const isHttps = deps.url.startsWith('https:') || deps.readForwarded(ctx.req).protocol === 'https';
    if (isHttps) ctx.set('Strict-Transport-Security', HSTS);
    await next();
  };
}

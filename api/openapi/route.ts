import { createHash } from 'node:crypto';
import type { ApiMiddleware } from '../http/context.ts';

/** A public text that does not change while the process runs. */
export interface PublishedDocument {
  /** Below each base path. */
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every replica of a release serves the same bytes; a rollout changes them within minutes. */
const CACHE_CONTROL = 'public, max-age=300';

/** Serves the document, or 304 if the client has it. Requires no token. */
export function serveDocument({ type, body, headers = {} }: PublishedDocument): ApiMiddleware {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return (ctx) => {
    ctx.set({ ...headers, 'Cache-Control': CACHE_CONTROL, 'X-Content-Type-Options': 'nosniff' });
    ctx.status = 200;
    ctx.etag = etag;
    ctx.type = type;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = body;
  };
}

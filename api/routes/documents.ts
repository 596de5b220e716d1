import { createHash } from 'node:crypto';
import type { ApiMiddleware } from '../context.ts';

/** A text for callers that stays the same for as long as the process runs. */
export interface PublishedDocument {
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every replica of a release gives the same bytes; a new release may follow within minutes. */
const CACHE_CONTROL = 'public, max-age=300';

/** Answers with the document, or 304 to a client that has it. No token is asked for. */
export const serveDocument = ({ type, body, headers = {} }: PublishedDocument): ApiMiddleware => {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return (ctx) => {
    ctx.set({ ...headers, 'Cache-Control': CACHE_CONTROL, 'X-Content-Type-Options': 'nosniff' });
    ctx.status = 200;
    ctx.etag = etag;
    ctx.type = type;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = body;
  };
};

import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import { errorCode } from '#runtime/errors.ts';
import type { Share } from '#runtime/fair/fair-capacity.ts';
import { isUnencoded } from '#runtime/http/content-encoding.ts';
import { readPieces } from '#runtime/http/read-pieces.ts';
import type { DashboardContext, DashboardMiddleware } from './context.ts';
import type { InFlight } from './in-flight-limit.ts';
import { PageError } from './page.ts';

const TYPE = 'application/x-www-form-urlencoded';
/** A token can be 16 KiB; percent-encoding triples it at worst. */
const MAX_BYTES = 96 * 1024;

function unreadable(status: number, message: string): PageError {
  return new PageError(status, 'Invalid form', message);
}

function bodyText(ctx: DashboardContext): string {
  const { body } = ctx.request;
  return typeof body === 'string' ? body : '';
}

/** Parses posted forms. Field names are flat: `a[b]` has no special meaning. */
export function createFormBody(forms: InFlight): DashboardMiddleware {
  const parse = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: [TYPE] },
    textLimit: String(MAX_BYTES),
  });
  async function read(ctx: DashboardContext, share: Share): Promise<void> {
    const req = readPieces(ctx.req, (bytes) => {
      if (!share.grow(bytes)) throw forms.refuse(ctx);
    });
    try {
      await parse(Object.create(ctx, { req: { value: req } }) as Context, () => Promise.resolve());
    } catch (error) {
      req.destroy();
      ctx.req.resume();
      ctx.set('Connection', 'close');
      if (error instanceof PageError) throw error;
      if (error instanceof Error && 'status' in error && error.status === 413)
        throw unreadable(413, `The form exceeds ${MAX_BYTES} bytes.`);
      throw unreadable(400, `The form is malformed or was truncated (${errorCode(error) ?? 'unreadable'}).`);
    }
  }
  return async (ctx, next) => {
    if (ctx.method !== 'POST') return next();
    if (ctx.is(TYPE) !== TYPE || !isUnencoded(ctx.get('Content-Encoding')))
      throw unreadable(415, `Send forms as ${TYPE}.`);
    using share = forms.open(ctx);
    await read(ctx, share);
    ctx.state.form = new URLSearchParams(bodyText(ctx));
    await next();
  };
}

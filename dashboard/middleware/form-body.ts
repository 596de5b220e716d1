import bodyParser from 'koa-bodyparser';
import { errorCode } from '#runtime/errors.ts';
import type { DashboardContext, DashboardMiddleware } from '../context.ts';
import { PageError } from '../page.ts';

const TYPE = 'application/x-www-form-urlencoded';
/** A token can be 16 KiB; percent-encoding triples it at worst. */
const MAX_BYTES = 96 * 1024;

const unreadable = (status: number, message: string): PageError =>
  new PageError(status, 'Invalid form', message);

const bodyText = (ctx: DashboardContext): string => {
  const { body } = ctx.request;
  return typeof body === 'string' ? body : '';
};

/** Parses posted forms. Field names are flat: `a[b]` has no special meaning. */
export const createFormBody = (): DashboardMiddleware => {
  const parse = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: [TYPE] },
    textLimit: String(MAX_BYTES),
  });
  return async (ctx, next) => {
    if (ctx.method !== 'POST') return next();
    if (ctx.is(TYPE) !== TYPE || ctx.get('Content-Encoding') !== '')
      throw unreadable(415, `Send forms as ${TYPE}.`);
    try {
      await parse(ctx, () => Promise.resolve());
    } catch (error) {
      ctx.set('Connection', 'close');
      if (error instanceof Error && 'status' in error && error.status === 413)
        throw unreadable(413, `The form exceeds ${MAX_BYTES} bytes.`);
      throw unreadable(400, `The form is malformed or was truncated (${errorCode(error) ?? 'unreadable'}).`);
    }
    ctx.state.form = new URLSearchParams(bodyText(ctx));
    await next();
  };
};

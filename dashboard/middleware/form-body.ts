import bodyParser from 'koa-bodyparser';
import { errorCode } from '#runtime/errors.ts';
import type { DashboardContext, DashboardMiddleware } from '../context.ts';
import { PageError } from '../page.ts';

const TYPE = 'application/x-www-form-urlencoded';
/** A token can be 16 KiB; percent signs make three times of it at worst. */
const MAX_BYTES = 96 * 1024;

const unreadable = (status: number, message: string): PageError =>
  new PageError(status, 'The form cannot be read', message);

const bodyText = (ctx: DashboardContext): string => {
  const { body } = ctx.request;
  return typeof body === 'string' ? body : '';
};

/** Reads posted forms as they are: field names have no structure here. */
export const createFormBody = (): DashboardMiddleware => {
  const parse = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: [TYPE] },
    textLimit: String(MAX_BYTES),
  });
  return async (ctx, next) => {
    if (ctx.method !== 'POST') return next();
    if (ctx.is(TYPE) !== TYPE || ctx.get('Content-Encoding') !== '')
      throw unreadable(415, `Forms are sent as ${TYPE}.`);
    try {
      await parse(ctx, () => Promise.resolve());
    } catch (error) {
      ctx.set('Connection', 'close');
      if (error instanceof Error && 'status' in error && error.status === 413)
        throw unreadable(413, `The form is larger than ${MAX_BYTES} bytes.`);
      throw unreadable(400, `The form did not arrive whole (${errorCode(error) ?? 'unreadable'}).`);
    }
    ctx.state.form = new URLSearchParams(bodyText(ctx));
    await next();
  };
};

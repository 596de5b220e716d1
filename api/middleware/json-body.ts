import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import bodyParser from 'koa-bodyparser';
import { type ApiError, badRequest, bodyTooLarge, invalidJson } from '../api-error.ts';
import type { ApiContext, ApiMiddleware } from '../context.ts';

export interface JsonBodyOptions {
  readonly maxBytes: number;
  /** How long a body that is too large is still read and thrown away, so that the client gets to read the answer. */
  readonly lingerMs: number;
}

const JSON_TYPE = 'application/json';
const PARAMETER = /^([^\s=]+)\s*=\s*(?:"([^"]*)"|([^\s"]*))$/;

/** Why the Content-Type is not JSON in UTF-8; undefined when it is. */
const typeProblem = (header: string): string | undefined => {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  if (type.toLowerCase() !== JSON_TYPE) return `The Content-Type must be ${JSON_TYPE}.`;
  for (const parameter of parameters.filter((part) => part !== '')) {
    const [, name, quoted, plain] = PARAMETER.exec(parameter) ?? [];
    if (name === undefined) return 'The Content-Type is malformed.';
    if (name.toLowerCase() === 'charset' && !/^utf-?8$/i.test(quoted ?? plain ?? ''))
      return 'The charset must be UTF-8.';
  }
  return undefined;
};

const unsupported = (message: string): ApiError => badRequest('unsupported_media_type', message);

/** @throws ApiError unsupported_media_type, before a byte of the body is read */
const checkMediaType = (headers: IncomingMessage['headers']): void => {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw unsupported('Content-Encoding is not supported: send the body as it is.');
  const problem = typeProblem(headers['content-type'] ?? '');
  if (problem !== undefined) throw unsupported(problem);
};

/** Reads on for a while without keeping anything: a socket that is closed with unread bytes takes the answer with it. */
const linger = async (request: IncomingMessage, lingerMs: number): Promise<void> => {
  const timer = new AbortController();
  request.resume();
  const ended = finished(request, { writable: false }).catch(() => undefined);
  await Promise.race([ended, delay(lingerMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
};

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'entity.too.large';

/** Without this a body that ended early keeps its connection open for a request that cannot come. */
const unreadable = (error: unknown): ApiError => invalidJson('The body did not arrive whole.', error);

/**
 * Reads the body of a request by koa-bodyparser, as text of one character per byte: its own decoding replaces invalid
 * UTF-8 silently and its own JSON parser loses what strict parsing must see.
 */
export const createJsonBody = ({ maxBytes, lingerMs }: JsonBodyOptions): ApiMiddleware => {
  const options = {
    enableTypes: ['text'],
    extendTypes: { text: [JSON_TYPE] },
    textLimit: String(maxBytes),
    encoding: 'binary',
  };
  const parse = bodyParser(options);
  const read = async (ctx: ApiContext): Promise<void> => {
    try {
      await parse(ctx, () => Promise.resolve());
    } catch (error) {
      if (!isTooLarge(error)) throw unreadable(error);
      await linger(ctx.req, lingerMs);
      throw bodyTooLarge(maxBytes);
    }
  };
  return async (ctx, next): Promise<void> => {
    checkMediaType(ctx.headers);
    await read(ctx);
    await next();
  };
};

/** The bytes of the body that was read. The request lets go of its text, which may be large and is of no use any more. */
export const takeBody = (ctx: ApiContext): Buffer => {
  const { body } = ctx.request;
  ctx.request.body = undefined;
  ctx.request.rawBody = '';
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.alloc(0);
};

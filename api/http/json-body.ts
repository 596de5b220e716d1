import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { isUnencoded } from '#runtime/http/content-encoding.ts';
import { type Pace, readWhole } from '#runtime/http/read-pieces.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { ApiError, badRequest, bodyTooLarge, invalidJson } from '../errors/api-error.ts';
import type { InFlight } from '../limits/in-flight.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { type ApiContext, type ApiMiddleware, projectOf } from './context.ts';

export interface JsonBodyOptions {
  readonly maxBytes: number;
  /** How long the rest of a body that is too large is read and discarded, so that the client receives the response. */
  readonly lingerMs: number;
  /** How long the declared bytes of a body count although they have not arrived. */
  readonly arrivalMs: number;
}

export interface JsonBodyDeps extends JsonBodyOptions {
  /** The bytes of all bodies in memory. */
  readonly bodies: InFlight;
  readonly rateLimits: Pick<RateLimits, 'bodyDelayMs'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly onDelayed: (ms: number) => void;
}

const JSON_TYPE = 'application/json';
const PARAMETER = /^([^\s=]+)\s*=\s*(?:"([^"]*)"|([^\s"]*))$/;

/** Describes a Content-Type that is not JSON in UTF-8; undefined if it is valid. */
function typeProblem(header: string): string | undefined {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  if (type.toLowerCase() !== JSON_TYPE) return `The Content-Type must be ${JSON_TYPE}.`;
  for (const parameter of parameters.filter((part) => part !== '')) {
    const [, name, quoted, plain] = PARAMETER.exec(parameter) ?? [];
    if (name === undefined) return 'The Content-Type is malformed.';
    if (name.toLowerCase() === 'charset' && !/^utf-?8$/i.test(quoted ?? plain ?? ''))
      return 'The charset must be UTF-8.';
  }
  return undefined;
}

function unsupported(message: string): ApiError {
  return badRequest('unsupported_media_type', message);
}

/** @throws ApiError unsupported_media_type, before a byte of the body is read */
function checkMediaType(headers: IncomingMessage['headers']): void {
  if (!isUnencoded(headers['content-encoding']))
    throw unsupported('Content-Encoding is not supported. Send the body uncompressed.');
  const problem = typeProblem(headers['content-type'] ?? '');
  if (problem !== undefined) throw unsupported(problem);
}

/** Bytes that are discarded cost processor time too, so they have the same pace as others. */
async function discard(request: IncomingMessage, pace: Pace): Promise<void> {
  for await (const chunk of request.iterator({ destroyOnReturn: false }))
    await pace((chunk as Buffer).length);
}

/** Discards input for a while: closing a socket with unread bytes resets the connection and loses the response. */
async function linger(request: IncomingMessage, lingerMs: number, pace: Pace): Promise<void> {
  const timer = new AbortController();
  const ended = discard(request, pace).catch(() => undefined);
  await Promise.race([ended, delay(lingerMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}

/** The error for a truncated body. */
function unreadable(error: unknown): ApiError {
  return invalidJson('The body was truncated. Send the request again.', error);
}

/**
 * Counts the declared bytes for a while, so that several large bodies that start together do not all fail halfway, and
 * all others when they arrive, so that a slow sender occupies nothing.
 */
function createMeter(
  share: ReturnType<InFlight['open']>,
  { declared, arrivalMs }: { readonly declared: number; readonly arrivalMs: number },
) {
  share.take(declared);
  let arrived = 0;
  let counted = declared;
  const timer = setTimeout(() => {
    share.release(counted - arrived);
    counted = arrived;
  }, arrivalMs);
  return {
    onBytes: (bytes: number): void => {
      if (arrived + bytes > counted) {
        share.take(arrived + bytes - counted);
        counted = arrived + bytes;
      }
      arrived += bytes;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** While reading waits, TCP lets the client wait as well. */
function paceOf({ rateLimits, clock, onDelayed }: JsonBodyDeps, ctx: ApiContext): Pace {
  return (bytes) => {
    const ms = rateLimits.bodyDelayMs(ctx.state.principal?.namespace ?? '', bytes);
    if (ms < 1) return undefined;
    onDelayed(ms);
    return new Promise<void>((resolve) => void clock.after(ms, resolve));
  };
}

/** Reads the request body. Its bytes count as in flight until the response. */
export function createJsonBody(deps: JsonBodyDeps): ApiMiddleware {
  const { maxBytes, lingerMs, arrivalMs, bodies } = deps;
  async function read(ctx: ApiContext, share: ReturnType<InFlight['open']>, pace: Pace): Promise<Buffer> {
    const declared = Number(ctx.get('Content-Length'));
    if (declared > maxBytes) throw bodyTooLarge(maxBytes);
    using meter = createMeter(share, { declared, arrivalMs });
    let received = 0;
    function onBytes(bytes: number): void {
      received += bytes;
      if (received > maxBytes) throw bodyTooLarge(maxBytes);
      meter.onBytes(bytes);
    }
    return await readWhole(ctx.req, onBytes, pace);
  }
  return async (ctx, next): Promise<void> => {
    checkMediaType(ctx.headers);
    using share = bodies.open(projectOf(ctx));
    const pace = paceOf(deps, ctx);
    try {
      ctx.state.body = await read(ctx, share, pace);
    } catch (error) {
      if (!(error instanceof ApiError)) throw unreadable(error);
      ctx.set('Connection', 'close');
      await linger(ctx.req, lingerMs, pace);
      throw error;
    }
    await next();
  };
}

/** Returns the bytes of the body, which may be many, and releases them from the context. */
export function takeBody({ state }: ApiContext): Buffer {
  const { body = Buffer.alloc(0) } = state;
  delete state.body;
  return body;
}

import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { generatedPart } from '../builders/generated-bytes.ts';
import { type AskedRange, askedRange } from './asked-range.ts';
import { type OriginRequest, type OriginRoute, send } from './origin-request.ts';

/** When the next bytes may be sent, by what shares the rate. */
const freeAt = new Map<string, number>();
const sent = new Map<string, number>();

/** Bytes that were sent so far with this `?in=`, also to clients that did not read them. */
export function pacedBytesSent(key: string): number {
  return sent.get(key) ?? 0;
}

interface Paced {
  readonly key: string;
  readonly bytesPerSecond: number;
  readonly signal: AbortSignal;
}

async function* paced(
  pieces: Iterable<Buffer>,
  { key, bytesPerSecond, signal }: Paced,
): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    const now = performance.now();
    const at = Math.max(now, freeAt.get(key) ?? 0);
    freeAt.set(key, at + (piece.length * 1000) / bytesPerSecond);
    if (at > now) await delay(at - now, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    sent.set(key, pacedBytesSent(key) + piece.length);
    yield piece;
  }
}

/** Undefined: the whole file, also for a range of another version. */
function rangeOf(
  { query }: OriginRequest,
  incoming: IncomingMessage,
  { bytes, etag }: { readonly bytes: number; readonly etag: string },
): AskedRange | undefined {
  const version = incoming.headers['if-range'];
  if (query.has('no-ranges') || (version !== undefined && version !== etag)) return undefined;
  return askedRange(incoming, bytes);
}

/**
 * A generated file with a strong ETag, of which ranges can be requested, at this many bytes per second. All requests share the rate,
 * and so do all files with the same `?in=`. `?no-ranges` has neither ranges nor an ETag.
 */
export const pacedRoute: OriginRoute = async (request, response, incoming) => {
  const { rest, query, path, signal } = request;
  const [bytesPerSecond = 0, bytes = 0, seed = 0] = rest.map(Number);
  const etag = `"paced-${bytes}-${seed}"`;
  const range = rangeOf(request, incoming, { bytes, etag });
  const { from, to } = range ?? { from: 0, to: bytes };
  response.writeHead(range === undefined ? 200 : 206, {
    'content-length': String(to - from),
    ...(!query.has('no-ranges') && { etag, 'accept-ranges': 'bytes' }),
    ...(range !== undefined && { 'content-range': `bytes ${from}-${to - 1}/${bytes}` }),
  });
  response.flushHeaders();
  const key = query.get('in') ?? path;
  await send(
    response,
    paced(generatedPart({ bytes, seed, from, to }), { key, bytesPerSecond, signal }),
    signal,
  );
  response.end();
};

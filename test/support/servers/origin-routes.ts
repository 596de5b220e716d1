import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { normalize, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { generatedChunks } from '../builders/generated-bytes.ts';
import { cutRoute } from './origin-cut-route.ts';
import { pacedRoute } from './origin-paced-route.ts';
import { type OriginRoute, send } from './origin-request.ts';

function number(text: string | undefined): number {
  return Number(text ?? '0');
}

function lengthOf(bytes: number): Record<string, string> {
  return { 'content-length': String(bytes) };
}

/**
 * The ready-made paths, by their first segment:
 * - `/gen/<bytes>/<seed>` a generated file with its length; `/chunked/<bytes>/<seed>/<chunkBytes>` without
 * - `/close/<bytes>/<seed>` no length; the end of the connection ends the body
 * - `/flaky/<times>/<status>/<bytes>/<seed>` the status this many times (with `?retry-after=`), then the file
 * - `/status/<status>` a status with a short text
 * - `/die/<after>/<bytes>/<seed>` disconnects after this many bytes; `?times=n` only the first n times
 * - `/cut/<times>/<bytes>/<seed>` disconnects at random offsets and supports Range; see cutRoute
 * - `/paced/<bytesPerSecond>/<bytes>/<seed>` has a rate and supports Range; see pacedRoute
 * - `/stall/<after>/<bytes>/<seed>` stops sending after this many bytes; `?times=n` only the first n times
 * - `/drip/<chunkBytes>/<everyMs>/<bytes>/<seed>` sends one chunk per interval
 * - `/wrong-length/<declared>/<bytes>/<seed>` declares another length than it sends, then closes
 * - `/redirect/<status>?to=<location>` and `/hops/<n>/<bytes>/<seed>` n redirects, then the file
 * - `/silent` accepts and never responds
 */
export const READY_MADE_ROUTES: Readonly<Record<string, OriginRoute>> = {
  gen: async ({ rest: [bytes, seed], signal }, response) => {
    response.writeHead(200, lengthOf(number(bytes)));
    await send(response, generatedChunks(number(bytes), number(seed)), signal);
    response.end();
  },
  chunked: async ({ rest: [bytes, seed, chunkBytes], signal }, response) => {
    response.writeHead(200);
    await send(
      response,
      generatedChunks(number(bytes), number(seed), number(chunkBytes) || undefined),
      signal,
    );
    response.end();
  },
  close: async ({ rest: [bytes, seed], signal }, response) => {
    response.shouldKeepAlive = false;
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { connection: 'close' });
    await send(response, generatedChunks(number(bytes), number(seed)), signal);
    response.end();
  },
  flaky: async (request, response, incoming) => {
    const [times, status, bytes, seed] = request.rest;
    if (request.seen > number(times)) {
      await READY_MADE_ROUTES['gen']?.({ ...request, rest: [bytes ?? '0', seed ?? '0'] }, response, incoming);
      return;
    }
    const wait = request.query.get('retry-after');
    response.writeHead(number(status), wait === null ? {} : { 'retry-after': wait }).end('not now');
  },
  status: ({ rest: [status] }, response) => {
    const code = number(status);
    response.writeHead(code).end(code === 204 || code === 304 ? undefined : `status ${code}`);
  },
  die: async (request, response, incoming) => {
    const [after, bytes, seed] = request.rest;
    const rest = [bytes ?? '0', seed ?? '0'];
    if (request.seen > number(request.query.get('times') ?? 'Infinity')) {
      await READY_MADE_ROUTES['gen']?.({ ...request, rest }, response, incoming);
      return;
    }
    response.writeHead(200, lengthOf(number(bytes)));
    response.flushHeaders();
    await send(response, cut(generatedChunks(number(bytes), number(seed)), number(after)), request.signal);
    // Flush before the cut, so that the number of received bytes is deterministic.
    response.socket?.end(() => response.socket?.destroy());
  },
  cut: cutRoute,
  paced: pacedRoute,
  stall: async (request, response, incoming) => {
    const [after, bytes, seed] = request.rest;
    const rest = [bytes ?? '0', seed ?? '0'];
    if (request.seen > number(request.query.get('times') ?? 'Infinity')) {
      await READY_MADE_ROUTES['gen']?.({ ...request, rest }, response, incoming);
      return;
    }
    response.writeHead(200, lengthOf(number(bytes)));
    response.flushHeaders();
    await send(response, cut(generatedChunks(number(bytes), number(seed)), number(after)), request.signal);
  },
  drip: async ({ rest: [chunkBytes, everyMs, bytes, seed], signal }, response) => {
    response.writeHead(200, lengthOf(number(bytes)));
    for (const piece of generatedChunks(number(bytes), number(seed), number(chunkBytes))) {
      if (signal.aborted) return;
      response.write(piece);
      await delay(number(everyMs), undefined, { signal }).catch(() => undefined);
    }
    response.end();
  },
  'wrong-length': async ({ rest: [declared, bytes, seed] }, response) => {
    const socket = response.socket;
    socket?.write(`HTTP/1.1 200 OK\r\nContent-Length: ${declared ?? '0'}\r\n\r\n`);
    for (const piece of generatedChunks(number(bytes), number(seed))) socket?.write(piece);
    socket?.end();
  },
  redirect: ({ rest: [status], query }, response) => {
    const to = query.get('to');
    response.writeHead(number(status), to === null ? {} : { location: to }).end('elsewhere');
  },
  hops: ({ rest: [hops, bytes = '0', seed = '0'] }, response) => {
    const left = number(hops) - 1;
    const location = left < 1 ? `/gen/${bytes}/${seed}` : `/hops/${left}/${bytes}/${seed}`;
    response.writeHead(302, { location }).end('elsewhere');
  },
  silent: () => undefined,
};

function* cut(pieces: Iterable<Uint8Array>, bytes: number): Generator<Uint8Array> {
  let left = bytes;
  for (const piece of pieces) {
    if (left <= 0) return;
    yield piece.subarray(0, left);
    left -= piece.byteLength;
  }
}

/** Files of a directory, with their length and Last-Modified. */
export function fileRoute(directory: string): OriginRoute {
  return async ({ path, signal }, response) => {
    const name = normalize(decodeURIComponent(path.slice('/files'.length)));
    const found = name.split(sep).includes('..')
      ? undefined
      : await stat(`${directory}${name}`).catch(() => undefined);
    if (!found?.isFile()) {
      response.writeHead(404).end('no such file');
      return;
    }
    response.writeHead(200, { ...lengthOf(found.size), 'last-modified': found.mtime.toUTCString() });
    await pipeline(createReadStream(`${directory}${name}`), response, { signal }).catch(() => undefined);
  };
}

export const notFound: OriginRoute = (_request, response) => {
  response.writeHead(404).end('no such path');
};

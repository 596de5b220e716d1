import type { IncomingMessage, ServerResponse } from 'node:http';
import { generatedPart } from '../builders/generated-bytes.ts';
import { type OriginRequest, type OriginRoute, send } from './origin-request.ts';

interface CutFile {
  readonly times: number;
  readonly bytes: number;
  readonly seed: number;
}

/** Offsets where the file is cut, in order: the same for the same path. */
function cutPlaces({ times, bytes, seed }: CutFile): readonly number[] {
  let state = (seed + 1) * 2_654_435_761;
  return Array.from({ length: times }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + Math.floor((state / 2 ** 32) * (bytes - 1));
  }).toSorted((a, b) => a - b);
}

/** Wrong responses to a Range request, by `?fault=`. */
interface Response {
  readonly status: number;
  readonly from: number;
  readonly seed: number;
  readonly etag: string;
  readonly range: string | undefined;
  readonly lastModified: string | undefined;
}

const LAST_MODIFIED = 'Wed, 21 Oct 2015 07:28:00 GMT';

function rightResponse(file: CutFile, from: number): Response {
  return {
    status: from > 0 ? 206 : 200,
    from,
    seed: file.seed,
    etag: `"file-${file.seed}"`,
    range: from > 0 ? `bytes ${from}-${file.bytes - 1}/${file.bytes}` : undefined,
    lastModified: LAST_MODIFIED,
  };
}

type Fault = (reply: Response, file: CutFile, request: OriginRequest) => Response;

/** From the second request on the file is another one, and If-Range is handled correctly. */
const replaced: Fault = (reply, file, { seen }) =>
  seen === 1 ? reply : { ...rightResponse({ ...file, seed: file.seed + seen }, 0), etag: `"file-${seen}"` };

function onlyRanges(change: (reply: Response, file: CutFile) => Partial<Response>): Fault {
  return (reply, file) => (reply.status === 206 ? { ...reply, ...change(reply, file) } : reply);
}

const FAULTS: Readonly<Record<string, Fault>> = {
  replaced,
  'replaced-if-range-ignored': (reply, file, { seen }) =>
    seen === 1 ? reply : { ...reply, seed: file.seed + seen, etag: `"file-${seen}"` },
  'etag-gone': onlyRanges(() => ({ etag: '' })),
  'range-ignored': (_response, file) => rightResponse(file, 0),
  'wrong-start': onlyRanges(({ from }, { bytes }) => ({
    from: from - 1,
    range: `bytes ${from - 1}-${bytes - 1}/${bytes}`,
  })),
  'wrong-total': onlyRanges(({ from }, { bytes }) => ({ range: `bytes ${from}-${bytes - 1}/${bytes + 1}` })),
  'unknown-total': onlyRanges(({ from }, { bytes }) => ({ range: `bytes ${from}-${bytes - 1}/*` })),
  'no-content-range': onlyRanges(() => ({ range: undefined })),
  'not-satisfiable': onlyRanges((_response, { bytes }) => ({ status: 416, range: `bytes */${bytes}` })),
  'weak-etag': (reply) => ({ ...reply, etag: `W/${reply.etag}` }),
  'empty-etag': (reply) => ({ ...reply, etag: '""' }),
  'empty-weak-etag': (reply) => ({ ...reply, etag: 'W/""' }),
  'only-date': (reply) => ({ ...reply, etag: '' }),
  // The ETag stays, as with servers that derive it from the name or the length.
  'date-changed': (reply, file, { seen }) =>
    seen === 1 ? reply : { ...reply, seed: file.seed + seen, lastModified: 'Thu, 22 Oct 2015 07:28:00 GMT' },
  'date-gone': onlyRanges(() => ({ lastModified: undefined })),
};

function faultOf({ query }: OriginRequest): Fault | undefined {
  return FAULTS[query.get('fault') ?? ''];
}

function fileOf({ rest: [times, bytes, seed] }: OriginRequest): CutFile {
  return {
    times: Number(times),
    bytes: Number(bytes),
    seed: Number(seed),
  };
}

function rangeStart({ headers }: IncomingMessage): number {
  return Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? '0');
}

function writeHead(response: ServerResponse, reply: Response, length: number | undefined): void {
  const { status, etag, range, lastModified } = reply;
  response.writeHead(status, {
    ...(lastModified !== undefined && { 'last-modified': lastModified }),
    ...(length !== undefined && { 'content-length': String(length) }),
    ...(etag !== '' && { etag }),
    ...(range !== undefined && { 'content-range': range }),
  });
}

/** Flush before the cut, so that the number of received bytes is deterministic. */
function cutConnection({ socket }: ServerResponse): void {
  socket?.end(() => socket.destroy());
}

/** Offset where this response is cut; undefined when it is not. */
function cutOf(file: CutFile, request: OriginRequest, start: number): number | undefined {
  const replies = request.query.has('flaky') ? 2 * file.times : file.times;
  return request.seen <= replies ? cutPlaces(file).find((at) => at > start) : undefined;
}

/**
 * A generated file with a strong ETag whose transfer is cut `times` times at random offsets; a Range request
 * returns the rest. `?fault=` selects a wrong response (see FAULTS), `?chunked` omits the length, `?flaky`
 * responds 503 to every second request, `?stall` stops sending instead of cutting.
 */
export const cutRoute: OriginRoute = async (request, response, incoming) => {
  const { query, seen, signal } = request;
  if (query.has('flaky') && seen % 2 === 0) {
    response.writeHead(503).end('not now');
    return;
  }
  const file = fileOf(request);
  const { bytes } = file;
  const start = rangeStart(incoming);
  const right = rightResponse(file, start);
  const reply = faultOf(request)?.(right, file, request) ?? right;
  const { from } = reply;
  const end = reply.status === 416 ? from : bytes;
  const to = cutOf(file, request, start) ?? end;
  writeHead(response, reply, query.has('chunked') ? undefined : end - from);
  response.flushHeaders();
  await send(response, generatedPart({ bytes, seed: reply.seed, from, to }), signal);
  if (to === end) response.end();
  else if (!query.has('stall')) cutConnection(response);
};

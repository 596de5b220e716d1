/**
 * An S3-like server in this process that misbehaves on request. It supports as much of S3 as one multipart
 * upload needs, keeps objects in memory, and is stricter than S3 where R2 is: all parts but the last must
 * have one length.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Fault, readBody, respondInstead, sendResponse } from './hostile-faults.ts';
import {
  MemoryObjects,
  type Response,
  S3Fault,
  type StoredObject,
  type Upload,
  xmlError,
} from './memory-objects.ts';
import { type Delays, PastStates } from './past-states.ts';

export type { Fault } from './hostile-faults.ts';

export type Operation =
  | 'create'
  | 'part'
  | 'complete'
  | 'abort'
  | 'listParts'
  | 'listUploads'
  | 'head'
  | 'delete'
  | 'unknown';

export interface SeenRequest {
  readonly operation: Operation;
  /** Number of this request among those of its operation, from 1; for a part: among those of this part. */
  readonly nth: number;
  readonly partNumber: number | undefined;
  readonly headers: IncomingMessage['headers'];
}

export interface HostileStore extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, Upload>;
  readonly requests: SeenRequest[];
  /** Called for each request; undefined causes no fault. */
  fault: (request: SeenRequest) => Fault | undefined;
  /** Responds NotImplemented to every checksum header except Content-MD5, and to ACLs, like R2 did. */
  refusesNewHeaders: boolean;
  /** Accepts If-None-Match at Complete and ignores it, like emulators do. */
  ignoresConditions: boolean;
  /** Refuses a Complete that names another ETag or CRC-32 of a part. */
  comparesParts: boolean;
  /** Computes no CRC-32 of parts, even if requested. */
  sumsNothing: boolean;
  /** The encryption that the response to a request names; `asked` is that of its headers. */
  encryption: (request: SeenRequest, asked: string | undefined) => string | undefined;
  /** Responses of these operations show the bucket as it was this long ago. */
  delays: Delays;
  /** Most uploads, or parts, of one page of a listing. */
  pageSize: number;
  /**
   * Carries out a Complete in two steps, like versitygw, NooBaa and Ceph: the upload is gone at once, and the object shows when the
   * promise resolves. Undefined: in one step.
   */
  assembly: (request: SeenRequest) => Promise<void> | undefined;
  /** Responds with success to the Complete of an upload that is gone, if any object is at the key, like versitygw. */
  repeatsCompletes: boolean;
  /** By how much the clock of the store is ahead, in its Date headers. Tests set the times of uploads themselves. */
  clockAheadMs: number;
  /** Closes every connection without a response for this long, like a load balancer that is reloaded. */
  blip(ms: number): void;
  /** Closes every connection, including pending ones. */
  closeConnections(): void;
}

/** The operation, from the method and the first known parameter. */
const OPERATIONS: readonly (readonly [method: string, parameter: string | undefined, Operation])[] = [
  ['POST', 'uploads', 'create'],
  ['POST', undefined, 'complete'],
  ['PUT', 'partNumber', 'part'],
  ['DELETE', 'uploadId', 'abort'],
  ['DELETE', undefined, 'delete'],
  ['GET', 'uploads', 'listUploads'],
  ['GET', 'uploadId', 'listParts'],
  ['HEAD', undefined, 'head'],
];

function operationOf(method: string, query: URLSearchParams): Operation {
  return (
    OPERATIONS.find(
      ([wanted, parameter]) => wanted === method && (parameter === undefined || query.has(parameter)),
    )?.[2] ?? 'unknown'
  );
}

function metadataOf(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), String(value)]] : [],
    ),
  );
}

interface ParsedRequest {
  readonly key: string;
  readonly id: string;
  readonly prefix: string;
  readonly after: string;
  readonly afterPart: number;
  readonly body: Buffer;
}

/** The request as a store with a bad disk sees it: one bit flipped, and no checksum to compare with. */
function tampered(
  seen: SeenRequest,
  parsed: ParsedRequest,
  fault: Fault | undefined,
): [SeenRequest, ParsedRequest] {
  if (fault?.kind !== 'corrupt') return [seen, parsed];
  const body = Buffer.from(parsed.body);
  body[0] = (body[0] ?? 0) ^ 1;
  const wantsCrc = seen.headers['x-amz-checksum-crc32'] !== undefined;
  return [
    { ...seen, headers: wantsCrc ? { 'x-amz-checksum-crc32': '' } : {} },
    { ...parsed, body },
  ];
}

const NEW_HEADERS = /^x-amz-(checksum|sdk-checksum|acl$)/;

function refuseNewHeaders(headers: SeenRequest['headers']): void {
  if (Object.keys(headers).some((name) => NEW_HEADERS.test(name))) throw new S3Fault(501, 'NotImplemented');
}

function howToComplete(headers: SeenRequest['headers'], { ignoresConditions, comparesParts }: HostileStore) {
  return { ifNoneMatch: headers['if-none-match'] === '*' && !ignoresConditions, comparesParts };
}

function crcHeader(headers: SeenRequest['headers'], hostile: HostileStore) {
  return hostile.sumsNothing ? undefined : headers['x-amz-checksum-crc32'];
}

interface Exchange {
  readonly seen: SeenRequest;
  readonly parsed: ParsedRequest;
  readonly hostile: HostileStore;
}

/** Handles a request without a fault. */
const WORK: Readonly<Record<Operation, (store: MemoryObjects, exchange: Exchange) => Response>> = {
  create: (store, { parsed, seen }) => store.create(parsed.key, metadataOf(seen.headers)),
  part: (store, { parsed, seen, hostile }) =>
    store.part(parsed.id, {
      number: seen.partNumber,
      body: parsed.body,
      md5: seen.headers['content-md5'],
      crc32: crcHeader(seen.headers, hostile),
    }),
  complete: (store, { parsed, seen, hostile }) => {
    const listed = parsed.body.toString();
    if (hostile.repeatsCompletes && !store.uploads.has(parsed.id))
      return store.completeAgain(parsed.key, listed);
    return store.complete(parsed.id, listed, howToComplete(seen.headers, hostile));
  },
  abort: (store, { parsed }) => store.abort(parsed.id),
  listParts: (store, { parsed: { id, afterPart }, hostile }) =>
    store.listParts(id, { after: afterPart, mostParts: hostile.pageSize }),
  listUploads: (store, { parsed: { prefix, after }, hostile }) =>
    store.listUploads({ prefix, after, mostUploads: hostile.pageSize }),
  head: (store, { parsed }) => store.head(parsed.key),
  delete: (store, { parsed }) => {
    store.objects.delete(parsed.key);
    return { status: 204 };
  },
  unknown: () => {
    throw new S3Fault(501, 'NotImplemented');
  },
};

function delayOf({ seen: { operation }, hostile: { delays } }: Exchange): number | undefined {
  return operation === 'head' || operation === 'listParts' || operation === 'listUploads'
    ? delays[operation]
    : undefined;
}

const ENCRYPTION = 'x-amz-server-side-encryption';

function withEncryption(response: Response, { seen, hostile }: Exchange): Response {
  const asked = seen.headers[ENCRYPTION];
  const named = hostile.encryption(seen, typeof asked === 'string' ? asked : undefined);
  return named === undefined
    ? response
    : { ...response, headers: { ...response.headers, [ENCRYPTION]: named } };
}

function carryOut(store: MemoryObjects, past: PastStates, exchange: Exchange): Response {
  const { seen, hostile } = exchange;
  if (hostile.refusesNewHeaders) refuseNewHeaders(seen.headers);
  const delayMs = delayOf(exchange);
  const seenStore = delayMs === undefined ? store : new MemoryObjects(past.before(delayMs));
  return withEncryption(WORK[seen.operation](seenStore, exchange), exchange);
}

function parse({ pathname, searchParams }: URL, body: Buffer): ParsedRequest {
  return {
    key: decodeURIComponent(pathname.split('/').slice(2).join('/')),
    id: searchParams.get('uploadId') ?? '',
    prefix: searchParams.get('prefix') ?? '',
    after: searchParams.get('upload-id-marker') ?? '',
    afterPart: Number(searchParams.get('part-number-marker') ?? 0),
    body,
  };
}

/** Set for a Complete that is carried out in two steps. */
function assemblyOf(store: MemoryObjects, { seen, parsed, hostile }: Exchange): Promise<void> | undefined {
  return seen.operation === 'complete' && store.uploads.has(parsed.id) ? hostile.assembly(seen) : undefined;
}

/** A Complete in two steps. Its response comes with the object. */
async function assemble(store: MemoryObjects, { parsed, seen, hostile }: Exchange, assembled: Promise<void>) {
  const { response, show } = store.take(
    parsed.id,
    parsed.body.toString(),
    howToComplete(seen.headers, hostile),
  );
  await assembled;
  show();
  return response;
}

/** Records and counts requests. */
function createWitness(requests: SeenRequest[]) {
  return (request: IncomingMessage, url: URL) => {
    const operation = operationOf(request.method ?? '', url.searchParams);
    const number = url.searchParams.get('partNumber');
    const partNumber = number === null ? undefined : Number(number);
    const same = requests.filter((other) => other.operation === operation && other.partNumber === partNumber);
    const seen: SeenRequest = { operation, partNumber, nth: same.length + 1, headers: request.headers };
    requests.push(seen);
    return seen;
  };
}

/** A clock of its own: tests move that of this process. */
function dateAt(aheadMs: number): string {
  return new Date(performance.timeOrigin + performance.now() + aheadMs).toUTCString();
}

/** Starts on a free port, by default of loopback; bucket and key are the path. */
export async function startHostileStore(host = '127.0.0.1'): Promise<HostileStore> {
  const store = new MemoryObjects();
  const past = new PastStates(store);
  const requests: SeenRequest[] = [];
  const see = createWitness(requests);
  let awayUntil = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (performance.now() < awayUntil) return void request.socket.destroy();
    response.setHeader('date', dateAt(hostile.clockAheadMs));
    const url = new URL(request.url ?? '/', 'http://store');
    const seen = see(request, url);
    const fault = hostile.fault(seen);
    const body = await readBody(request, fault);
    if (await respondInstead(fault, response)) return;
    if (fault?.kind === 'raced') return sendResponse(response, { status: 204 });
    const [tamperedSeen, tamperedRequest] = tampered(seen, parse(url, body), fault);
    const exchange = { seen: tamperedSeen, parsed: tamperedRequest, hostile };
    // The client is gone, and the store continues.
    if (fault?.kind === 'drop') request.socket.destroy();
    past.record();
    const assembled = assemblyOf(store, exchange);
    const reply = assembled ? await assemble(store, exchange, assembled) : carryOut(store, past, exchange);
    past.record();
    sendResponse(response, reply);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      const fault = error instanceof S3Fault ? error : new S3Fault(500, 'InternalError');
      sendResponse(response, { status: fault.status, body: xmlError(fault.code) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const hostile: HostileStore = {
    endpoint: `http://${host}:${port}`,
    objects: store.objects,
    uploads: store.uploads,
    requests,
    fault: () => undefined,
    refusesNewHeaders: false,
    ignoresConditions: false,
    comparesParts: true,
    sumsNothing: false,
    encryption: (_request, asked) => asked,
    delays: {},
    pageSize: 1000,
    assembly: () => undefined,
    repeatsCompletes: false,
    clockAheadMs: 0,
    blip: (ms) => {
      awayUntil = performance.now() + ms;
    },
    closeConnections: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hostile;
}

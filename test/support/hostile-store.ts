/**
 * An S3-like server in this process that misbehaves on request. It speaks as much of S3 as one multipart upload needs, holds
 * objects in memory, and is stricter than S3 where R2 is: all parts but the last must have one length.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Answer,
  MemoryObjects,
  S3Fault,
  type StoredObject,
  type Upload,
  xmlError,
} from './memory-objects.ts';

export type Operation =
  | 'create'
  | 'part'
  | 'complete'
  | 'abort'
  | 'listParts'
  | 'head'
  | 'delete'
  | 'unknown';

export interface SeenRequest {
  readonly operation: Operation;
  /** How many of this operation came before, plus one; of a part: of this part. */
  readonly nth: number;
  readonly partNumber: number | undefined;
  readonly headers: IncomingMessage['headers'];
}

export type Fault =
  | { readonly kind: 'answer'; readonly status: number; readonly code: string }
  /** 200, then an error in the body. */
  | { readonly kind: 'okError'; readonly code: string }
  /** The connection ends without an answer, before or after the request did its work. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  /** A bit of the part is flipped, and nobody says so. */
  | { readonly kind: 'corrupt' }
  /** No answer comes until the promise resolves. */
  | { readonly kind: 'hold'; readonly until: Promise<void> };

export interface HostileStore extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, Upload>;
  readonly requests: SeenRequest[];
  /** Chosen for each request; undefined lets it pass. */
  fault: (request: SeenRequest) => Fault | undefined;
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const operationOf = (method: string, query: URLSearchParams): Operation => {
  if (method === 'POST') return query.has('uploads') ? 'create' : 'complete';
  if (method === 'PUT' && query.has('partNumber')) return 'part';
  if (method === 'DELETE') return query.has('uploadId') ? 'abort' : 'delete';
  if (method === 'GET' && query.has('uploadId')) return 'listParts';
  return method === 'HEAD' ? 'head' : 'unknown';
};

const metadataOf = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), String(value)]] : [],
    ),
  );

interface Asked {
  readonly key: string;
  readonly id: string;
  readonly body: Buffer;
}

/** The request as a store with a bad disk sees it: one bit flipped, and no checksum to compare with. */
const tampered = (seen: SeenRequest, asked: Asked, fault: Fault | undefined): [SeenRequest, Asked] => {
  if (fault?.kind !== 'corrupt') return [seen, asked];
  const body = Buffer.from(asked.body);
  body[0] = (body[0] ?? 0) ^ 1;
  return [
    { ...seen, headers: {} },
    { ...asked, body },
  ];
};

const carryOut = (store: MemoryObjects, seen: SeenRequest, asked: Asked): Answer => {
  const { key, id, body } = asked;
  switch (seen.operation) {
    case 'create':
      return store.create(key, metadataOf(seen.headers));
    case 'part':
      return store.part(id, {
        number: seen.partNumber,
        body,
        md5: seen.headers['content-md5'],
      });
    case 'complete':
      return store.complete(id, body.toString(), seen.headers['if-none-match'] === '*');
    case 'abort':
      store.upload(id);
      store.uploads.delete(id);
      return { status: 204 };
    case 'listParts':
      return store.listParts(id);
    case 'head':
      return store.head(key);
    case 'delete':
      store.objects.delete(key);
      return { status: 204 };
    case 'unknown':
      throw new S3Fault(501, 'NotImplemented');
  }
};

const send = (response: ServerResponse, answer: Answer): void => {
  response.writeHead(answer.status, { 'content-type': 'application/xml', ...answer.headers });
  response.end(answer.body);
};

/** What is answered without doing anything. */
const answerInstead = (fault: Fault): Answer | 'none' | undefined => {
  if (fault.kind === 'answer') return { status: fault.status, body: xmlError(fault.code) };
  if (fault.kind === 'okError') return { status: 200, body: xmlError(fault.code) };
  return fault.kind === 'drop' && fault.when === 'before' ? 'none' : undefined;
};

/** Starts on a free port of the loopback; bucket and key are the path. */
export const startHostileStore = async (): Promise<HostileStore> => {
  const store = new MemoryObjects();
  const requests: SeenRequest[] = [];

  const see = (request: IncomingMessage, url: URL): SeenRequest => {
    const operation = operationOf(request.method ?? '', url.searchParams);
    const number = url.searchParams.get('partNumber');
    const partNumber = number === null ? undefined : Number(number);
    const same = requests.filter((other) => other.operation === operation && other.partNumber === partNumber);
    const seen: SeenRequest = { operation, partNumber, nth: same.length + 1, headers: request.headers };
    requests.push(seen);
    return seen;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://store');
    const seen = see(request, url);
    const body = await readBody(request);
    const fault = hostile.fault(seen);
    if (fault?.kind === 'hold') await fault.until;
    const instead = fault && answerInstead(fault);
    if (instead === 'none') return void request.socket.destroy();
    if (instead) return send(response, instead);
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    const asked = { key, id: url.searchParams.get('uploadId') ?? '' };
    const answer = carryOut(store, ...tampered(seen, { ...asked, body }, fault));
    if (fault?.kind === 'drop') return void request.socket.destroy();
    send(response, answer);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      const fault = error instanceof S3Fault ? error : new S3Fault(500, 'InternalError');
      if (!response.destroyed) send(response, { status: fault.status, body: xmlError(fault.code) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const hostile: HostileStore = {
    endpoint: `http://127.0.0.1:${port}`,
    objects: store.objects,
    uploads: store.uploads,
    requests,
    fault: () => undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hostile;
};

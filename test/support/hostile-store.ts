/**
 * An S3-like server in this process that misbehaves on request. It speaks as much of S3 as one multipart upload needs, holds
 * objects in memory, and is stricter than S3 where R2 is: all parts but the last must have one length.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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

export interface StoredObject {
  readonly body: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
  readonly etag: string;
}

interface Upload {
  readonly key: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parts: Map<number, { readonly body: Buffer; readonly etag: string }>;
}

export interface HostileStore extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, Upload>;
  readonly requests: SeenRequest[];
  /** Chosen for each request; undefined lets it pass. */
  fault: (request: SeenRequest) => Fault | undefined;
}

const md5 = (body: Buffer): Buffer => createHash('md5').update(body).digest();

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

class S3Fault extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const errorXml = (code: string): string =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} by the hostile store</Message></Error>`;

const metadataOf = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), String(value)]] : [],
    ),
  );

class Objects {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<string, Upload>();
  #ids = 0;

  create(key: string, metadata: Record<string, string>): Answer {
    this.#ids += 1;
    const id = `upload-${this.#ids}`;
    this.uploads.set(id, { key, metadata, parts: new Map() });
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  }

  upload(id: string): Upload {
    const upload = this.uploads.get(id);
    if (!upload) throw new S3Fault(404, 'NoSuchUpload');
    return upload;
  }

  part(id: string, number: number, body: Buffer, wanted: string | undefined): Answer {
    const upload = this.upload(id);
    const sum = md5(body);
    if (wanted !== undefined && wanted !== sum.toString('base64')) throw new S3Fault(400, 'BadDigest');
    const etag = `"${sum.toString('hex')}"`;
    upload.parts.set(number, { body, etag });
    return { status: 200, headers: { etag } };
  }

  complete(id: string, listed: string, ifNoneMatch: boolean): Answer {
    const upload = this.upload(id);
    const numbers = [...listed.matchAll(/<PartNumber>(\d+)</g)].map((match) => Number(match[1]));
    const parts = numbers.map((number) => {
      const part = upload.parts.get(number);
      if (!part) throw new S3Fault(400, 'InvalidPart');
      return part;
    });
    const first = parts[0]?.body.length ?? 0;
    const isEven = parts.every(
      ({ body }, index) => body.length === first || (index === parts.length - 1 && body.length < first),
    );
    if (!isEven) throw new S3Fault(400, 'InvalidPart');
    if (ifNoneMatch && this.objects.has(upload.key)) throw new S3Fault(412, 'PreconditionFailed');
    const sums = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag.replaceAll('"', ''), 'hex')));
    const etag = `"${md5(sums).toString('hex')}-${parts.length}"`;
    this.uploads.delete(id);
    this.objects.set(upload.key, {
      body: Buffer.concat(parts.map(({ body }) => body)),
      metadata: upload.metadata,
      etag,
    });
    return {
      status: 200,
      body: `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`,
    };
  }

  head(key: string): Answer {
    const object = this.objects.get(key);
    if (!object) throw new S3Fault(404, 'NotFound');
    const metadata = Object.entries(object.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]);
    return {
      status: 200,
      headers: {
        etag: object.etag,
        'content-length': String(object.body.length),
        ...Object.fromEntries(metadata),
      },
    };
  }

  listParts(id: string): Answer {
    const parts = [...this.upload(id).parts.keys()].map(
      (number) => `<Part><PartNumber>${number}</PartNumber></Part>`,
    );
    return { status: 200, body: `<ListPartsResult>${parts.join('')}</ListPartsResult>` };
  }
}

const carryOut = (
  store: Objects,
  seen: SeenRequest,
  asked: { readonly key: string; readonly id: string; readonly body: Buffer },
): Answer => {
  const { key, id, body } = asked;
  switch (seen.operation) {
    case 'create':
      return store.create(key, metadataOf(seen.headers));
    case 'part':
      return store.part(id, seen.partNumber ?? 0, body, seen.headers['content-md5'] as string | undefined);
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

const corrupted = (body: Buffer): Buffer => {
  const copy = Buffer.from(body);
  copy[0] = (copy[0] ?? 0) ^ 1;
  return copy;
};

/** Starts on a free port of the loopback; bucket and key are the path. */
export const startHostileStore = async (): Promise<HostileStore> => {
  const store = new Objects();
  const requests: SeenRequest[] = [];

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://store');
    const operation = operationOf(request.method ?? '', url.searchParams);
    const partNumber = url.searchParams.has('partNumber')
      ? Number(url.searchParams.get('partNumber'))
      : undefined;
    const same = requests.filter((other) => other.operation === operation && other.partNumber === partNumber);
    const seen: SeenRequest = { operation, partNumber, nth: same.length + 1, headers: request.headers };
    requests.push(seen);
    const body = await readBody(request);
    const fault = hostile.fault(seen);
    if (fault?.kind === 'hold') await fault.until;
    if (fault?.kind === 'answer') return send(response, { status: fault.status, body: errorXml(fault.code) });
    if (fault?.kind === 'okError') return send(response, { status: 200, body: errorXml(fault.code) });
    if (fault?.kind === 'drop' && fault.when === 'before') return void request.socket.destroy();
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    const id = url.searchParams.get('uploadId') ?? '';
    const headers = fault?.kind === 'corrupt' ? {} : request.headers;
    const asked = { key, id, body: fault?.kind === 'corrupt' ? corrupted(body) : body };
    const answer = carryOut(store, { ...seen, headers }, asked);
    if (fault?.kind === 'drop') return void request.socket.destroy();
    send(response, answer);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      const fault = error instanceof S3Fault ? error : new S3Fault(500, 'InternalError');
      if (!response.destroyed) send(response, { status: fault.status, body: errorXml(fault.code) });
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

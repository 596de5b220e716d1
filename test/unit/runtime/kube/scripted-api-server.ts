import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '#runtime/http/server.ts';
import { createKubeClient, type KubeClient } from '#runtime/kube/client/client.ts';
import { decoderOf } from '#runtime/kube/client/decode.ts';
import type { KubeAccess, KubeCredentials } from '#runtime/kube/client/kube-access.ts';
import type { KubeObject, ResourceDefinition } from '#runtime/kube/types.ts';
import { until } from '#test/support/until.ts';

export interface Note extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** A generic kind, for tests that apply to every kind. */
export const NOTES: ResourceDefinition<Note> = {
  apiVersion: 'test.dev/v1',
  plural: 'notes',
  kind: 'Note',
  decode: decoderOf<Note>({ kind: 'Note', optional: ['data'] }),
};

export function aNote(name: string, version: number, uid = `uid-${name}`): Note {
  return {
    apiVersion: 'test.dev/v1',
    kind: 'Note',
    metadata: { namespace: 'ns', name, uid, resourceVersion: String(version) },
  };
}

/** One request that the server received and has not responded to yet. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly isWatch: boolean;
  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): void;
  list(version: number, items: readonly KubeObject[], next?: string): void;
  /** Sends lines of a watch and leaves it open. */
  events(...events: readonly (readonly [type: string, object: unknown])[]): void;
  /** Sends raw bytes of a watch and leaves it open. */
  raw(text: string | Uint8Array): void;
  end(): void;
  reset(): void;
  readonly closed: boolean;
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function exchangeOf(request: IncomingMessage, response: ServerResponse, body: string): Exchange {
  const url = new URL(request.url ?? '/', 'http://localhost');
  function open(): void {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' });
  }
  const json: Exchange['json'] = (status, value, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
  return {
    method: request.method ?? '',
    url,
    headers: request.headers,
    body,
    isWatch: url.searchParams.get('watch') === 'true',
    json,
    list: (version, items, next = '') =>
      json(200, { kind: 'NoteList', metadata: { resourceVersion: String(version), continue: next }, items }),
    events: (...events) => {
      open();
      for (const [type, object] of events) response.write(`${JSON.stringify({ type, object })}\n`);
    },
    raw: (text) => {
      open();
      response.write(text);
    },
    end: () => {
      open();
      response.end();
    },
    reset: () => {
      request.socket.resetAndDestroy();
    },
    get closed() {
      return response.closed;
    },
  };
}

export interface ScriptedApiServer extends AsyncDisposable {
  readonly kube: KubeClient;
  /** Every request so far. */
  readonly seen: readonly Exchange[];
  /** The next request without a response; fails after 15 seconds. */
  next(): Promise<Exchange>;
  readonly openSockets: number;
}

/** An API server that sends no response by itself: the test takes each request and responds. */
export async function startScriptedApiServer(
  options: {
    readonly requestTimeoutMs?: number;
    readonly credentials?: () => KubeCredentials['headers'];
    /** Responds to lists of one object by itself, with this version. */
    readonly newestVersion?: number | undefined;
  } = {},
): Promise<ScriptedApiServer> {
  const seen: Exchange[] = [];
  let taken = 0;
  let openSockets = 0;
  const server = createServer((request, response) => {
    void readAll(request).then(
      (body) => {
        const exchange = exchangeOf(request, response, body);
        const isProbe = !exchange.isWatch && exchange.url.searchParams.get('limit') === '1';
        if (isProbe && options.newestVersion !== undefined) exchange.list(options.newestVersion, []);
        else seen.push(exchange);
      },
      () => undefined,
    );
  });
  server.on('connection', (socket) => {
    openSockets += 1;
    socket.once('close', () => {
      openSockets -= 1;
    });
  });
  const listening = await listen(server, { host: '127.0.0.1', port: 0, drainMs: 0 });
  const credentials = options.credentials ?? (() => ({ authorization: 'Bearer one' }));
  const access: KubeAccess = {
    server: `http://127.0.0.1:${listening.port}`,
    credentials: async () => ({ headers: credentials(), tls: {} }),
  };
  const kube = createKubeClient({ access, requestTimeoutMs: options.requestTimeoutMs ?? 2_000 });
  return {
    kube,
    seen,
    next: () =>
      until(`request ${taken + 1}`, () => (seen.length > taken ? seen[taken++] : undefined), {
        limitMs: 15_000,
        intervalMs: 2,
      }),
    get openSockets() {
      return openSockets;
    },
    [Symbol.asyncDispose]: async () => {
      await kube[Symbol.asyncDispose]();
      await listening.close();
    },
  };
}

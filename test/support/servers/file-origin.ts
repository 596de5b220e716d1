import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { OriginRequest, OriginRoute } from './origin-request.ts';
import { fileRoute, notFound, READY_MADE_ROUTES } from './origin-routes.ts';

export interface FileOriginOptions {
  /** Serves these files under `/files/`. */
  readonly directory?: string;
  /** Handlers of exact paths, which override the ready-made ones. */
  readonly routes?: Readonly<Record<string, OriginRoute>>;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Delay before each response. */
  readonly latencyMs?: number;
  /** Creates the server, for example an HTTPS one. */
  readonly makeServer?: (listener: RequestListener) => Server;
  readonly scheme?: 'http' | 'https';
}

export interface FileOrigin extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  readonly port: number;
  url(path: string): string;
  /** Connections accepted so far. */
  readonly connections: number;
  readonly openConnections: number;
  /** Peak number of open connections. */
  readonly peakConnections: number;
  readonly requests: readonly RecordedRequest[];
  /** Peak number of concurrent requests. */
  readonly peakRequests: number;
}

export interface RecordedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

class Origin implements FileOrigin {
  readonly #options: FileOriginOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #closing = new AbortController();
  readonly #seen = new Map<string, number>();
  readonly #requests: RecordedRequest[] = [];
  #responding = 0;
  peakRequests = 0;
  peakConnections = 0;
  connections = 0;

  constructor(options: FileOriginOptions) {
    this.#options = options;
    const listener: RequestListener = (incoming, response) => void this.#respond(incoming, response);
    this.#server = options.makeServer?.(listener) ?? createServer(listener);
    this.#server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      this.peakConnections = Math.max(this.peakConnections, this.#sockets.size);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  get port(): number {
    const address = this.#server.address();
    return isTcpAddress(address) ? address.port : 0;
  }

  get origin(): string {
    return `${this.#options.scheme ?? 'http'}://${this.#options.host ?? '127.0.0.1'}:${this.port}`;
  }

  url(path: string): string {
    return `${this.origin}${path}`;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, this.#options.host ?? '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    for (const socket of this.#sockets) socket.destroy();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  async #respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = incoming.url ?? '/';
    const { pathname, searchParams } = new URL(target, 'http://origin');
    const seen = (this.#seen.get(target) ?? 0) + 1;
    this.#seen.set(target, seen);
    this.#requests.push({ path: target, headers: incoming.headers });
    this.#responding += 1;
    this.peakRequests = Math.max(this.peakRequests, this.#responding);
    response.once('close', () => {
      this.#responding -= 1;
      gone.abort();
    });
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    const [first = '', ...rest] = pathname.slice(1).split('/');
    const { latencyMs = 0 } = this.#options;
    if (latencyMs > 0) await delay(latencyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const request: OriginRequest = { path: pathname, rest, query: searchParams, seen, signal };
    await this.#route(pathname, first)(request, response, incoming);
  }

  #route(path: string, first: string): OriginRoute {
    const { routes = {}, directory } = this.#options;
    if (Object.hasOwn(routes, path)) return routes[path] ?? notFound;
    if (first === 'files' && directory !== undefined) return fileRoute(directory);
    return (Object.hasOwn(READY_MADE_ROUTES, first) ? READY_MADE_ROUTES[first] : undefined) ?? notFound;
  }
}

function isTcpAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

/**
 * A loopback HTTP origin for tests and the demo: files of a directory, generated files of any size, and
 * faults by path.
 */
export function startFileOrigin(options: FileOriginOptions = {}): Promise<FileOrigin> {
  return new Origin(options).listen();
}

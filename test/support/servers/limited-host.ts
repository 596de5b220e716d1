import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What a host does with a connection, or a request, above its limit. */
export type Excess =
  /** Resets the connection when it is accepted. */
  | 'refuse'
  /** Resets the connection when a request arrives on it. */
  | 'reset'
  /** Responds 429 to a request. */
  | 'throttle'
  /** Accepts, and responds when another connection ends. */
  | 'hang';

export interface LimitedHostOptions {
  /** Requests in each window. A window starts with the first request after the previous one. */
  readonly perWindow?: number;
  readonly windowMs?: number;
  /** Headers of the response to a request that exceeds a window. */
  readonly hint?: (leftMs: number) => Readonly<Record<string, string>>;
  readonly connections?: number;
  /** Default `refuse`. */
  readonly excess?: Excess;
  /** Before each response with a file. Default 1. */
  readonly latencyMs?: number;
  /** Another status for a path; 0 resets the connection. */
  readonly other?: (path: string) => number | undefined;
}

export interface LimitedHost extends AsyncDisposable {
  urls(count: number): string[];
  /** Requests by outcome. */
  readonly served: number;
  readonly throttled: number;
  /** Connections, or requests on them, above the limit. */
  readonly refused: number;
  /** Requests for paths with another status. */
  readonly bad: number;
  /** From the first request to the last response with a file, in windows. */
  readonly windows: number;
}

/** A host that limits requests per time, connections, or both. The body of a file is its path. */
class Host implements LimitedHost {
  readonly #options: LimitedHostOptions;
  readonly #server = createServer((request, response) => this.#handle(request, response));
  readonly #sockets = new Set<Socket>();
  readonly #hanging = new Set<() => void>();
  #windowStart = Number.NEGATIVE_INFINITY;
  #inWindow = 0;
  #firstAt: number | undefined;
  #lastAt = 0;
  #busy = 0;
  served = 0;
  throttled = 0;
  refused = 0;
  bad = 0;

  constructor(options: LimitedHostOptions) {
    this.#options = options;
    this.#server.on('connection', (socket: Socket) => {
      socket.on('error', () => undefined);
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        for (const resume of this.#hanging) resume();
      });
      if (this.#excess === 'refuse' && this.#isExcessive(socket)) this.#reset(socket);
    });
  }

  get #excess(): Excess {
    return this.#options.excess ?? 'refuse';
  }

  /** Connections are served in the order in which they were accepted. */
  #isExcessive(socket: Socket): boolean {
    return [...this.#sockets].indexOf(socket) >= (this.#options.connections ?? Infinity);
  }

  #reset(socket: Socket): void {
    this.refused += 1;
    this.#sockets.delete(socket);
    socket.resetAndDestroy();
  }

  get windows(): number {
    return (this.#lastAt - (this.#firstAt ?? 0)) / (this.#options.windowMs ?? 1);
  }

  urls(count: number): string[] {
    const { port } = this.#server.address() as AddressInfo;
    return Array.from({ length: count }, (_, n) => `http://127.0.0.1:${port}/${n}`);
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    this.#firstAt ??= performance.now();
    const { socket } = request;
    if (this.#excess === 'throttle') {
      if (this.#busy >= (this.#options.connections ?? Infinity)) this.#throttle(response, {});
      else this.#respond(request, response);
    } else if (!this.#isExcessive(socket)) this.#respond(request, response);
    else if (this.#excess === 'reset') this.#reset(socket);
    else this.#hang(request, response);
  }

  #hang(request: IncomingMessage, response: ServerResponse): void {
    this.refused += 1;
    const resume = (): void => {
      if (!request.socket.destroyed && this.#isExcessive(request.socket)) return;
      this.#hanging.delete(resume);
      if (!request.socket.destroyed) this.#respond(request, response);
    };
    this.#hanging.add(resume);
  }

  #throttle(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    this.throttled += 1;
    response.writeHead(429, headers).end('slow down');
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const { perWindow = Infinity, windowMs = 0, hint, latencyMs = 1, other } = this.#options;
    const now = performance.now();
    if (now >= this.#windowStart + windowMs) {
      this.#windowStart = now;
      this.#inWindow = 0;
    }
    if (this.#inWindow >= perWindow) {
      this.#throttle(response, hint?.(this.#windowStart + windowMs - now) ?? {});
      return;
    }
    this.#inWindow += 1;
    this.#busy += 1;
    const path = request.url ?? '';
    setTimeout(() => {
      this.#busy -= 1;
      const status = other?.(path) ?? 200;
      if (status === 200) this.served += 1;
      else this.bad += 1;
      if (status === 0) {
        request.socket.resetAndDestroy();
        return;
      }
      this.#lastAt = performance.now();
      response.writeHead(status, { 'content-length': path.length }).end(path);
    }, latencyMs);
  }
}

export function startLimitedHost(options: LimitedHostOptions): Promise<LimitedHost> {
  return new Host(options).listen();
}

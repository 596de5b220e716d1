/**
 * A proxy between our processes and a real server (the API server, the store, a webhook receiver). It records the
 * requests and injects the faults of a network, a crash or a busy server.
 */
import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProxyResponse, respondWith, withClock, withoutHopHeaders } from './fault-response.ts';
import { OpenStream } from './open-stream.ts';
import { actorOf, isWatch, isWrite, type ProxiedRequest } from './proxied-request.ts';

/** What happens to a request. Default: it is forwarded. */
export type FaultAction =
  /** The proxy responds, and the server does not receive the request. */
  | ({ readonly kind: 'response' } & ProxyResponse)
  | { readonly kind: 'delay'; readonly ms: number }
  /** The server receives the request when the promise resolves, even if the client has disconnected. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> }
  /** The proxy closes the connection, and the server does not receive the request. */
  | { readonly kind: 'refuse' }
  /** The server executes the request, and the client gets no response. */
  | { readonly kind: 'drop' }
  /** The server executes the request, and `kill` ends the client before it gets a response. */
  | { readonly kind: 'kill'; readonly kill: () => void }
  /** Repeats the previous response to this GET. Forwards the request if there is none. */
  | { readonly kind: 'replay' }
  /** The response comes from a server whose clock is ahead. */
  | { readonly kind: 'ahead'; readonly ms: number };

export interface Exchange {
  /** Monotonic time in milliseconds at which the request was complete; `endedAt` is the end of the exchange. */
  readonly at: number;
  readonly endedAt: number;
  readonly request: Omit<ProxiedRequest, 'body'>;
  /** Status of the server's response, even if the client did not get it. Absent without a response. */
  readonly status?: number;
  readonly fault?: FaultAction['kind'];
  /** Status of a response of the proxy itself. */
  readonly injected?: number;
  /** The result of `note` for the request. */
  readonly notes: Readonly<Record<string, string>>;
}

export interface FaultProxyOptions {
  /** Base URL of the server. */
  readonly upstream: string;
  /** The certificate and key of the proxy, and the CA of a server that uses TLS too. */
  readonly tls?: { readonly ca?: string; readonly cert: string; readonly key: string };
  /** Called for each request; returns the fault to inject. */
  readonly judge?: (request: ProxiedRequest) => FaultAction | undefined;
  readonly record?: (exchange: Exchange) => void;
  /** Changes the path that is sent to the server, for example to set another time limit for a watch. */
  readonly rewrite?: (path: string) => string;
  /** Values to record for a request in addition to its line and headers. */
  readonly note?: (request: ProxiedRequest) => Readonly<Record<string, string>>;
}

export interface FaultProxy extends AsyncDisposable {
  /** Base URL. */
  readonly url: string;
  /** The open watches. */
  readonly streams: readonly OpenStream[];
}

interface KeptResponse {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Maximum number of responses for `replay`. There may be thousands of jobs, each with its own path. */
const MAX_KEPT = 500;
const HOST = '127.0.0.1';

/** A list of names is another response than a list of objects. */
function keyOf({ path, headers }: ProxiedRequest): string {
  return `${path} ${headers.accept ?? ''}`;
}

class Proxy implements FaultProxy {
  readonly #options: FaultProxyOptions;
  readonly #upstream: URL;
  readonly #agent: http.Agent;
  readonly #server: http.Server;
  readonly #sockets = new Set<Socket>();
  readonly #streams = new Set<OpenStream>();
  readonly #responses = new Map<string, KeptResponse>();
  readonly #closing = new AbortController();

  constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#upstream = new URL(options.upstream);
    const { tls } = options;
    const listener: http.RequestListener = (incoming, response) => {
      // A client may disconnect during its own request.
      this.#handle(incoming, response).catch(() => response.destroy());
    };
    this.#agent =
      tls?.ca === undefined
        ? new http.Agent({ keepAlive: true })
        : new https.Agent({ keepAlive: true, ca: tls.ca });
    this.#server =
      tls === undefined
        ? http.createServer(listener)
        : https.createServer({ cert: tls.cert, key: tls.key }, listener);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      if (this.#closing.signal.aborted) socket.destroy();
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#options.tls === undefined ? 'http' : 'https'}://${HOST}:${port}`;
  }

  get streams(): readonly OpenStream[] {
    return [...this.#streams];
  }

  async listen(): Promise<this> {
    this.#server.listen(0, HOST);
    await once(this.#server, 'listening');
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const closed = once(this.#server, 'close');
    this.#server.close();
    // closeAllConnections left some connections open, and a client that keeps one would delay the end without limit.
    for (const socket of this.#sockets) socket.destroy();
    this.#agent.destroy();
    await closed;
  }

  async #handle(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = Buffer.concat((await incoming.toArray()) as Buffer[]);
    const { method = 'GET', url: path = '/', headers } = incoming;
    const request: ProxiedRequest = { method, path, headers, body, actor: actorOf(headers) };
    const at = performance.now();
    const action = this.#options.judge?.(request);
    let status: number | undefined;
    try {
      status = await this.#carryOut(request, response, action);
    } finally {
      this.#record(request, action, { at, ...(status === undefined ? {} : { status }) });
    }
  }

  #record(
    request: ProxiedRequest,
    action: FaultAction | undefined,
    known: Pick<Exchange, 'at' | 'status'>,
  ): void {
    const { body: _body, ...line } = request;
    this.#options.record?.({
      ...known,
      endedAt: performance.now(),
      request: line,
      ...(action === undefined ? {} : { fault: action.kind }),
      ...(action?.kind === 'response' ? { injected: action.status } : {}),
      notes: this.#options.note?.(request) ?? {},
    });
  }

  async #carryOut(
    request: ProxiedRequest,
    response: http.ServerResponse,
    action: FaultAction | undefined,
  ): Promise<number | undefined> {
    if (action === undefined || action.kind === 'ahead' || action.kind === 'delay')
      return this.#relayAfter(request, response, action);
    switch (action.kind) {
      case 'response':
        return respondWith(response, action);
      case 'refuse':
        response.destroy();
        return undefined;
      case 'drop':
      case 'kill':
        return this.#forwardUnseen(request, response, action);
      case 'hold':
        await action.until;
        return this.#relayWhole(request, response);
      case 'replay':
        return this.#replay(request, response);
    }
  }

  async #relayAfter(
    request: ProxiedRequest,
    response: http.ServerResponse,
    action: Extract<FaultAction, { kind: 'delay' | 'ahead' }> | undefined,
  ): Promise<number | undefined> {
    if (action?.kind === 'ahead') return this.#relay(request, response, action.ms);
    if (action) await delay(action.ms, undefined, { signal: this.#closing.signal });
    return this.#relay(request, response);
  }

  async #replay(request: ProxiedRequest, response: http.ServerResponse): Promise<number | undefined> {
    const kept = this.#responses.get(keyOf(request));
    if (kept === undefined) return this.#relay(request, response);
    response.writeHead(200, withoutHopHeaders(kept.headers)).end(kept.body);
    return undefined;
  }

  async #forwardUnseen(
    request: ProxiedRequest,
    response: http.ServerResponse,
    action: Extract<FaultAction, { kind: 'drop' | 'kill' }>,
  ): Promise<number | undefined> {
    const reply = await this.#forward(request);
    await reply.toArray();
    if (action.kind === 'kill') action.kill();
    response.destroy();
    return reply.statusCode;
  }

  /** Returns the status even if the client has disconnected. */
  async #relayWhole(request: ProxiedRequest, response: http.ServerResponse): Promise<number | undefined> {
    const reply = await this.#forward(request);
    const body = Buffer.concat((await reply.toArray()) as Buffer[]);
    const { statusCode = 502, headers } = reply;
    response.writeHead(statusCode, withoutHopHeaders(headers)).end(body);
    return statusCode;
  }

  async #relay(
    request: ProxiedRequest,
    response: http.ServerResponse,
    aheadMs = 0,
  ): Promise<number | undefined> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    // A write is executed even if its client has disconnected.
    const reply = await this.#forward(request, isWrite(request) ? undefined : gone.signal);
    const { statusCode = 502 } = reply;
    const headers = withClock(reply.headers, aheadMs);
    if (isWatch(request)) {
      response.writeHead(statusCode, withoutHopHeaders(headers));
      const stream = new OpenStream(request, reply, response);
      this.#streams.add(stream);
      void stream.ended.then(() => this.#streams.delete(stream));
      return statusCode;
    }
    if (isWrite(request) || this.#options.tls === undefined) {
      response.writeHead(statusCode, withoutHopHeaders(headers));
      await pipeline(reply, response);
      return statusCode;
    }
    const body = Buffer.concat((await reply.toArray()) as Buffer[]);
    if (statusCode === 200) this.#keep(keyOf(request), { headers, body });
    response.writeHead(statusCode, withoutHopHeaders(headers)).end(body);
    return statusCode;
  }

  #keep(key: string, reply: KeptResponse): void {
    this.#responses.delete(key);
    this.#responses.set(key, reply);
    const [oldest] = this.#responses.keys();
    if (this.#responses.size > MAX_KEPT && oldest !== undefined) this.#responses.delete(oldest);
  }

  async #forward(request: ProxiedRequest, signal?: AbortSignal): Promise<http.IncomingMessage> {
    const { protocol, hostname, port } = this.#upstream;
    const send = protocol === 'https:' ? https.request : http.request;
    const outgoing = send({
      hostname,
      port,
      method: request.method,
      path: this.#options.rewrite?.(request.path) ?? request.path,
      // Keep the Host header, because the signatures of requests to a store cover it.
      headers: {
        ...withoutHopHeaders(request.headers),
        ...(request.body.length > 0 ? { 'content-length': request.body.length } : {}),
      },
      agent: this.#agent,
      ...(signal === undefined ? {} : { signal }),
    });
    outgoing.end(request.body);
    const [reply] = (await once(outgoing, 'response')) as [http.IncomingMessage];
    // A server may respond before it has read the whole request, and close the connection. The response is valid.
    outgoing.on('error', () => undefined);
    return reply;
  }
}

/** Starts the proxy on a free loopback port. */
export function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  return new Proxy(options).listen();
}

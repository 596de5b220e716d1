import {
  createServer as createHttpServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode } from '../errors.ts';
import type { ServerCertificate } from '../tls/server-certificate.ts';

export interface LimitedServerSettings {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Interval at which both timeouts are checked. */
  readonly timeoutCheckMs: number;
  /** Must exceed the idle timeout of the load balancer, which otherwise sends requests on closing connections. */
  readonly keepAliveTimeoutMs: number;
  readonly maxRequestsPerSocket: number;
  readonly maxHeaderBytes: number;
}

/** Why the bytes of a client are not a request. */
export type HttpFault = 'timed-out' | 'headers-too-large' | 'malformed';

export interface RejectionBody {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

function faultOf(error: Error): HttpFault {
  const code = errorCode(error);
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'timed-out' : 'malformed';
}

function rawResponse({ status, contentType, body }: RejectionBody): string {
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

export interface LimitedServerDeps {
  readonly listener: RequestListener;
  readonly settings: LimitedServerSettings;
  /** The response to input that is not valid HTTP. */
  readonly reject: (fault: HttpFault) => RejectionBody;
  /** Default: plain HTTP. */
  readonly certificate?: ServerCertificate | undefined;
}

/** The responses of each connection. */
function createResponses() {
  const openOf = new WeakMap<Duplex, Set<ServerResponse>>();
  const latestOf = new WeakMap<Duplex, ServerResponse>();
  return {
    add: (socket: Duplex, response: ServerResponse): void => {
      latestOf.set(socket, response);
      const open = openOf.get(socket) ?? new Set();
      openOf.set(socket, open.add(response));
      response.once('close', () => open.delete(response));
    },
    /** The last response that a client still expects to a request that has arrived completely. */
    lastExpected: (socket: Duplex): ServerResponse | undefined =>
      [...(openOf.get(socket) ?? [])].findLast(({ req }) => req.complete),
    /** The response to a request of which only a part has arrived, and which has started. */
    isStarted: (socket: Duplex): boolean => {
      const latest = latestOf.get(socket);
      return latest !== undefined && !latest.req.complete && latest.headersSent;
    },
  };
}

/** Also closes connections that have not finished the handshake, which Node does not count as connections of HTTP. */
function closeHandshakesToo(server: Server): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const closeAll = server.closeAllConnections.bind(server);
  server.closeAllConnections = () => {
    closeAll();
    for (const socket of open) socket.destroy();
  };
}

/** A server for HTTPS, which refuses plain HTTP, or without a certificate one for plain HTTP. */
export function createServer(
  options: ServerOptions,
  certificate: ServerCertificate | undefined,
  listener: RequestListener,
): Server {
  if (!certificate) return createHttpServer(options, listener);
  const handshakeTimeout = options.headersTimeout;
  const server = createHttpsServer(
    { ...options, ...(handshakeTimeout !== undefined && { handshakeTimeout }), ...certificate.current() },
    listener,
  );
  // Node would emit `clientError`. After a failed handshake, such as plain HTTP, the client could not read its response.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  closeHandshakesToo(server);
  certificate.follow(server);
  return server;
}

/** Limits the time that clients may take, and the size of their headers. */
export function createLimitedServer({ listener, settings, reject, certificate }: LimitedServerDeps): Server {
  const responses = createResponses();
  const ending = new WeakSet<Duplex>();
  const take: RequestListener = (request, response) => {
    responses.add(request.socket, response);
    listener(request, response);
  };
  const server = createServer(
    {
      headersTimeout: settings.headersTimeoutMs,
      requestTimeout: settings.requestTimeoutMs,
      connectionsCheckingInterval: settings.timeoutCheckMs,
      keepAliveTimeout: settings.keepAliveTimeoutMs,
      maxHeaderSize: settings.maxHeaderBytes,
    },
    certificate,
    take,
  );
  // Ignore expectations other than 100-continue: Node.js would respond with 417 without a body.
  server.on('checkExpectation', take);
  server.maxRequestsPerSocket = settings.maxRequestsPerSocket;
  server.on('clientError', (error: Error, socket: Duplex) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    function end(last: string): void {
      socket.end(last, () => socket.destroy());
    }
    const expected = responses.lastExpected(socket);
    if (!socket.writable || (expected === undefined && responses.isStarted(socket))) socket.destroy();
    else if (expected === undefined) end(rawResponse(reject(faultOf(error))));
    else {
      // The client would take a rejection for the response to an earlier request, which may have created its job.
      if (!expected.headersSent) expected.setHeader('Connection', 'close');
      expected.once('close', () => end(''));
    }
  });
  return server;
}

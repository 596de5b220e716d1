import {
  createServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCode } from '#runtime/errors.ts';
import { type ApiError, badRequest, errorBody } from './api-error.ts';

export interface HttpServerSettings {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Interval at which both timeouts are checked. */
  readonly timeoutCheckMs: number;
  /** Must exceed the idle timeout of the load balancer, which otherwise sends requests on closing connections. */
  readonly keepAliveTimeoutMs: number;
  readonly maxRequestsPerSocket: number;
  readonly maxHeaderBytes: number;
}

const NOT_IN_TIME = badRequest(
  'request_timeout',
  'The request timed out before it was complete. Send it again.',
);
const TOO_MANY_HEADERS = badRequest(
  'headers_too_large',
  'The request headers are too large. Send fewer or shorter headers.',
);
const NOT_HTTP = badRequest('malformed_request', 'The request is not valid HTTP.');

const toApiError = (error: Error): ApiError => {
  const code = errorCode(error);
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_MANY_HEADERS;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? NOT_IN_TIME : NOT_HTTP;
};

const rawResponse = (error: ApiError): string => {
  const body = errorBody(error);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
};

/** Limits the time that clients may take. Input that is not valid HTTP gets the error envelope as well. */
export const createHttpServer = (listener: RequestListener, settings: HttpServerSettings): Server => {
  const responses = new WeakMap<Duplex, ServerResponse>();
  const take: RequestListener = (request, response) => {
    responses.set(request.socket, response);
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
    take,
  );
  // Ignore expectations other than 100-continue: Node.js would respond with 417 without a body.
  server.on('checkExpectation', take);
  server.maxRequestsPerSocket = settings.maxRequestsPerSocket;
  server.on('clientError', (error: Error, socket: Duplex) => {
    const started = responses.get(socket);
    const isResponding = started !== undefined && started.headersSent && !started.writableFinished;
    if (!socket.writable || isResponding) socket.destroy();
    else socket.end(rawResponse(toApiError(error)), () => socket.destroy());
  });
  return server;
};

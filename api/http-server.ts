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
  /** How often the two limits are checked. */
  readonly timeoutCheckMs: number;
  /** Longer than the load balancer keeps idle connections, or it sends requests into closing ones. */
  readonly keepAliveTimeoutMs: number;
  readonly maxRequestsPerSocket: number;
  readonly maxHeaderBytes: number;
}

const NOT_IN_TIME = badRequest('request_timeout', 'The request did not arrive in time.');
const TOO_MANY_HEADERS = badRequest('headers_too_large', 'The headers of the request are too large.');
const NOT_HTTP = badRequest('malformed_request', 'The request is not valid HTTP.');

const toApiError = (error: Error): ApiError => {
  const code = errorCode(error);
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_MANY_HEADERS;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? NOT_IN_TIME : NOT_HTTP;
};

const rawAnswer = (error: ApiError): string => {
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

/** A server with limits on how long a client may take; what is no HTTP at all gets the error envelope too. */
export const createHttpServer = (listener: RequestListener, settings: HttpServerSettings): Server => {
  const answers = new WeakMap<Duplex, ServerResponse>();
  const take: RequestListener = (request, response) => {
    answers.set(request.socket, response);
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
  // What a client expects beyond 100-continue is ignored: Node itself would answer 417 without a body.
  server.on('checkExpectation', take);
  server.maxRequestsPerSocket = settings.maxRequestsPerSocket;
  server.on('clientError', (error: Error, socket: Duplex) => {
    const begun = answers.get(socket);
    const isAnswering = begun !== undefined && begun.headersSent && !begun.writableFinished;
    if (!socket.writable || isAnswering) socket.destroy();
    else socket.end(rawAnswer(toApiError(error)), () => socket.destroy());
  });
  return server;
};

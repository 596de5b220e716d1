import {
  createServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCode } from '../errors.ts';

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

const faultOf = (error: Error): HttpFault => {
  const code = errorCode(error);
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'timed-out' : 'malformed';
};

const rawResponse = ({ status, contentType, body }: RejectionBody): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');

export interface LimitedServerDeps {
  readonly listener: RequestListener;
  readonly settings: LimitedServerSettings;
  /** The response to input that is not valid HTTP. */
  readonly reject: (fault: HttpFault) => RejectionBody;
}

/** Limits the time that clients may take, and the size of their headers. */
export const createLimitedServer = ({ listener, settings, reject }: LimitedServerDeps): Server => {
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
    else socket.end(rawResponse(reject(faultOf(error))), () => socket.destroy());
  });
  return server;
};

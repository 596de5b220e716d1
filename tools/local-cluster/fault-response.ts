/** The responses of a fault proxy. */
import type * as http from 'node:http';

/** A response of the proxy itself. */
export interface ProxyResponse {
  readonly status: number;
  readonly retryAfterSeconds?: number;
  /** Default: a Status of Kubernetes. */
  readonly body?: string;
}

const HOP_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'expect'];

export function withoutHopHeaders(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)));
}

export function withClock(headers: http.IncomingHttpHeaders, aheadMs: number): http.IncomingHttpHeaders {
  return aheadMs === 0 || headers.date === undefined
    ? headers
    : { ...headers, date: new Date(Date.parse(headers.date) + aheadMs).toUTCString() };
}

const REASONS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  504: 'Timeout',
};

function statusBody(status: number): string {
  return JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `the fault proxy responded with ${status}`,
    reason: REASONS[status],
    code: status,
  });
}

export function respondWith(
  response: http.ServerResponse,
  { status, retryAfterSeconds, body = statusBody(status) }: ProxyResponse,
): undefined {
  const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  response.writeHead(status, { 'content-type': 'application/json', ...wait }).end(body);
}

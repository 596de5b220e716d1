import type { Dispatcher } from 'undici';
import { type Connection, createConnections } from './connections.ts';
import type { KubeError } from './kube-error.ts';
import type { KubeClientOptions, KubeRequest, PatchType } from './kube-request.ts';
import { statusError } from './status-error.ts';

export interface Transport {
  /** Sends a request and returns the 2xx response with an unread body. Throws for any other status. */
  send(
    request: KubeRequest,
    on: { readonly agent: 'calls' | 'watches'; readonly signal: AbortSignal },
  ): Promise<Dispatcher.ResponseData>;
  destroy(): Promise<void>;
}

// The client library's default for PATCH is a JSON patch, which no code here uses.
const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
};

function queryText(query: KubeRequest['query']): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search.toString()}`;
}

/** A server that does not know the first type sends whole objects. */
const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';

function headersOf(request: KubeRequest, userAgent: string): Record<string, string> {
  const type = request.method === 'PATCH' ? PATCH_TYPES[request.patchType ?? 'merge'] : 'application/json';
  return {
    accept: request.metadataOnly === true ? METADATA : 'application/json',
    'user-agent': userAgent,
    ...(request.body === undefined ? {} : { 'content-type': type }),
    ...(request.bearer === undefined ? {} : { authorization: `Bearer ${request.bearer}` }),
  };
}

export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

export function attemptOf(request: KubeRequest): string {
  return `${request.method} ${request.path}`;
}

async function refusal(request: KubeRequest, response: Dispatcher.ResponseData): Promise<KubeError> {
  const header = response.headers['retry-after'];
  return statusError({
    attempt: attemptOf(request),
    httpStatus: response.statusCode,
    body: parseJson(await response.body.text()),
    retryAfter: Array.isArray(header) ? header[0] : header,
  });
}

/** HTTP to one API server: paths, headers, pooled connections, and one retry after a token was rotated. */
export function createTransport(options: KubeClientOptions): Transport {
  const { access, requestTimeoutMs, countCall, clock, userAgent = 'zipjobs' } = options;
  const base = new URL(access.server);
  const prefix = base.pathname === '/' ? '' : base.pathname;
  const connections = createConnections(access, { connectTimeoutMs: Math.min(requestTimeoutMs, 10_000) });

  async function sendOnce(
    request: KubeRequest,
    connection: Connection,
    on: Parameters<Transport['send']>[1],
  ): Promise<Dispatcher.ResponseData> {
    const sentMs = clock?.monotonicMs() ?? 0;
    try {
      const response = await connection[on.agent].request({
        origin: base.origin,
        path: `${prefix}${request.path}${queryText(request.query)}`,
        method: request.method,
        headers: { ...connection.headers, ...headersOf(request, userAgent) },
        body: request.body === undefined ? null : JSON.stringify(request.body),
        signal: on.signal,
      });
      countCall?.({ method: request.method, code: String(response.statusCode), host: base.host });
      clock?.hear(response.headers['date'], sentMs);
      return response;
    } catch (error) {
      countCall?.({ method: request.method, code: '<error>', host: base.host });
      throw error;
    }
  }

  return {
    send: async (request, on) => {
      const connection = await connections.current();
      const first = await sendOnce(request, connection, on);
      if (first.statusCode >= 200 && first.statusCode <= 299) return first;
      const refused = await refusal(request, first);
      // A request that got a 401 had no effect, so a retry is safe for every method.
      if (first.statusCode !== 401 || !(await connections.renew(connection))) throw refused;
      const second = await sendOnce(request, await connections.current(), on);
      if (second.statusCode >= 200 && second.statusCode <= 299) return second;
      throw await refusal(request, second);
    },
    destroy: () => connections.destroy(),
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { toError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import type { ServerCertificate } from '../tls/server-certificate.ts';
import { createServer } from './limited-server.ts';
import { type ListeningServer, listen } from './server.ts';

/** The reason is for users on call: what fails, and since when. */
export type Check = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface AdminResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Responds to GET of a path of this process. Must check by itself who asks: anyone who reaches the port can. */
export type AdminRoute = (request: IncomingMessage) => Promise<AdminResponse>;

export interface AdminServerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly registry: Pick<Registry, 'metrics' | 'contentType'>;
  /** If it fails, the process should be restarted. */
  readonly healthy: () => Check;
  /** If it fails, the process should receive no traffic. */
  readonly ready: () => Check;
  readonly log: Logger;
  /** By path. */
  readonly routes?: Readonly<Record<string, AdminRoute>> | undefined;
  /** Default: plain HTTP. */
  readonly certificate?: ServerCertificate | undefined;
}

export function json(status: number, value: unknown): AdminResponse {
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: `${JSON.stringify(value)}\n`,
  };
}

function checked(check: () => Check): AdminResponse {
  const result = check();
  return result.ok ? json(200, { status: 'ok' }) : json(503, { status: 'failing', reason: result.reason });
}

async function responseTo(request: IncomingMessage, options: AdminServerOptions): Promise<AdminResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return json(405, { error: `${request.method} is not supported; use GET` });
  const path = (request.url ?? '').split('?', 1).join();
  if (path === '/healthz') return checked(options.healthy);
  if (path === '/readyz') return checked(options.ready);
  const route = options.routes?.[path];
  if (route !== undefined) return route(request);
  if (path !== '/metrics') return json(404, { error: 'not found; use /healthz, /readyz or /metrics' });
  const { contentType } = options.registry;
  return { status: 200, contentType, body: await options.registry.metrics() };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: AdminServerOptions,
): Promise<void> {
  let reply: AdminResponse;
  try {
    reply = await responseTo(request, options);
  } catch (error) {
    options.log.error(
      { err: toError(error), path: request.url?.split('?', 1)[0] },
      'a request to the admin server failed',
    );
    reply = json(500, { error: 'internal error; see the log' });
  }
  response.writeHead(reply.status, {
    'content-type': reply.contentType,
    'content-length': Buffer.byteLength(reply.body),
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : reply.body);
}

/** Serves /healthz, /readyz and /metrics on a separate port that no ingress publishes. */
export function startAdminServer(options: AdminServerOptions): Promise<ListeningServer> {
  const limits = { requestTimeout: 10_000, headersTimeout: 5_000 };
  const server = createServer(limits, options.certificate, (request, response) => {
    void respond(request, response, options);
  });
  return listen(server, { host: options.host, port: options.port, drainMs: 1_000 });
}

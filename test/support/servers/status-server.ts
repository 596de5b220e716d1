import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ZipperStatus } from '#crds/zip-job.ts';

export interface StatusWrite {
  readonly status: ZipperStatus;
  readonly metadata: unknown;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface StatusServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Every write, including refused ones. */
  readonly writes: StatusWrite[];
  /** HTTP status and body of the response; 200 with the object by default. */
  respond: (
    write: StatusWrite,
  ) => { readonly status: number; readonly message?: string; readonly details?: object } | undefined;
  /** The spec in every response. */
  spec: unknown;
  /** Status fields of the controller that are added to every response. */
  shown: Readonly<Record<string, unknown>>;
}

/**
 * Accepts the status writes of a zipper with scripted responses: for the order and the retries of the writes.
 * Tests with a real API server verify the writes themselves.
 */
export async function startStatusServer(tls?: { key: string; cert: string }): Promise<StatusServer> {
  const writes: StatusWrite[] = [];
  const onRequest: Parameters<typeof createServer>[1] = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as {
        status: ZipperStatus;
        metadata: unknown;
      };
      const write = {
        status: body.status,
        metadata: body.metadata,
        url: request.url ?? '',
        headers: request.headers,
      };
      writes.push(write);
      const reply = scripted.respond(write) ?? { status: 200 };
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          reply.status === 200
            ? { ...body, status: { ...scripted.shown, ...body.status }, spec: scripted.spec }
            : { kind: 'Status', message: reply.message, details: reply.details },
        ),
      );
    });
  };
  const server: Server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const scripted: StatusServer = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    writes,
    spec: {},
    shown: {},
    respond: () => undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return scripted;
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePorts } from '#tools/local-cluster/free-ports.ts';

/** A front of a real security token service whose sessions expire earlier. */
export interface StsFront extends AsyncDisposable {
  readonly endpoint: string;
  /** Number of sessions so far. */
  readonly sessions: number;
  /** The token of each request and its response, in order. */
  readonly requests: readonly StsExchange[];
  /** Refuses connections until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface StsExchange {
  readonly token: string;
  readonly status: number;
  /** Of the session. Empty without one. */
  readonly accessKeyId: string;
}

/** Passes each request on, and replaces the expiration in the response. */
export async function startStsFront(stsEndpoint: string, lifetimeMs: number): Promise<StsFront> {
  // Not an ephemeral port: another process could take that while the front is stopped.
  const [port = 0] = await freePorts(1);
  const requests: StsExchange[] = [];
  const server = createServer((request, response) => {
    async function pass(): Promise<void> {
      const body = await text(request);
      const passed = await fetch(stsEndpoint, {
        method: request.method ?? 'GET',
        headers: { 'content-type': request.headers['content-type'] ?? '' },
        body,
      });
      const xml = await passed.text();
      const expiration = new Date(Date.now() + lifetimeMs).toISOString();
      const token = new URLSearchParams(body).get('WebIdentityToken') ?? '';
      const [, accessKeyId = ''] = /<AccessKeyId>([^<]*)</.exec(xml) ?? [];
      requests.push({ token, status: passed.status, accessKeyId });
      response.writeHead(passed.status, { 'content-type': 'application/xml' });
      response.end(xml.replace(/<Expiration>[^<]*</, `<Expiration>${expiration}<`));
    }
    pass().catch(() => response.destroy());
  });
  async function start(): Promise<void> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  async function stop(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
  await start();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    get sessions() {
      return requests.filter(({ status }) => status === 200).length;
    },
    requests,
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A front of a real security token service whose sessions expire earlier. */
export interface StsFront extends AsyncDisposable {
  readonly endpoint: string;
  /** Number of sessions so far. */
  readonly sessions: number;
}

/** Passes each request on, and replaces the expiration in the response. */
export const startStsFront = async (stsEndpoint: string, lifetimeMs: number): Promise<StsFront> => {
  let sessions = 0;
  const server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const passed = await fetch(stsEndpoint, {
        method: request.method ?? 'GET',
        headers: { 'content-type': request.headers['content-type'] ?? '' },
        body: await buffer(request),
      });
      const text = await passed.text();
      const expiration = new Date(Date.now() + lifetimeMs).toISOString();
      if (passed.ok) sessions += 1;
      response.writeHead(passed.status, { 'content-type': 'application/xml' });
      response.end(text.replace(/<Expiration>[^<]*</, `<Expiration>${expiration}<`));
    };
    pass().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sessions() {
      return sessions;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

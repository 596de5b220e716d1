import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { failureAt, type HarnessOptions } from './source-harness.ts';

/** What the server sends for a request; the second argument counts the requests before it. */
type Respond = (request: string, before: number) => string;

/** Requests of a connection that stays open follow each other, so each chunk is one. */
function serve(socket: Socket, respond: (request: string) => string, end: boolean): void {
  function send(request: Buffer): void {
    const response = Buffer.from(respond(request.toString('latin1')), 'latin1');
    if (end) socket.end(response);
    else socket.write(response);
  }
  if (end) socket.once('data', send);
  else socket.on('data', send);
}

/** A server that sends these bytes for every request; `end` decides whether it then closes the connection. */
export async function rawServer(
  response: string | Respond,
  end = true,
): Promise<{ url: string; requests: readonly string[] } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  function respond(request: string): string {
    requests.push(request);
    return typeof response === 'string' ? response : response(request, requests.length - 1);
  }
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    serve(socket, respond, end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/file`,
    requests,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The failure of a source that responds with these bytes. */
export async function failureOfResponse(response: string, options: HarnessOptions = {}) {
  await using server = await rawServer(response);
  return await failureAt(server.url, options);
}

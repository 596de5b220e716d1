import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { failureAt, type HarnessOptions } from './source-harness.ts';

/** A server that sends these bytes on every connection; `end` decides whether it then closes. */
export const rawServer = async (response: string, end = true): Promise<{ url: string } & AsyncDisposable> => {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', () => (end ? socket.end(response) : socket.write(response)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/file`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

/** The failure of a source that responds with these bytes. */
export const failureOfResponse = async (response: string, options: HarnessOptions = {}) => {
  await using server = await rawServer(response);
  return await failureAt(server.url, options);
};

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** How long a connection waits for a pod that is ready. */
const TARGET_LIMIT_MS = 10_000;

export interface ForwarderOptions {
  /** Port to listen on, or any free port if it is in use. */
  readonly port: number;
  /** Returns the address for a new connection. */
  readonly target: (signal: AbortSignal) => Promise<{ readonly host: string; readonly port: number }>;
}

export interface Forwarder extends AsyncDisposable {
  readonly url: string;
}

const UNAVAILABLE = 'No pod is ready. See the output of the command that started the cluster.\n';
const UNAVAILABLE_RESPONSE = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: text/plain',
  `Content-Length: ${UNAVAILABLE.length}`,
  'Connection: close',
  '',
  UNAVAILABLE,
].join('\r\n');

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

/** Listens on this port of loopback, or on any free one if it is in use. */
export function listenNear(server: Server, port: number): Promise<void> {
  return listen(server, port).catch((error: unknown) => {
    if (!isInUse(error)) throw error;
    return listen(server, 0);
  });
}

/** Listens on a fixed loopback port and forwards each new connection to the current target. */
export async function startForwarder({ port, target }: ForwarderOptions): Promise<Forwarder> {
  const closing = new AbortController();
  const sockets = new Set<Socket>();
  function keep(socket: Socket): Socket {
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  }
  async function forward(client: Socket): Promise<void> {
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TARGET_LIMIT_MS)]);
      const address = await target(signal);
      if (client.destroyed) return;
      const pod = keep(connect(address));
      client.once('close', () => pod.destroy());
      await once(pod, 'connect');
      pod.once('close', () => client.destroySoon());
      client.pipe(pod).pipe(client);
    } catch {
      client.end(UNAVAILABLE_RESPONSE);
    }
  }
  const server = createServer((client) => void forward(keep(client)));
  await listenNear(server, port);
  const { port: opened } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${opened}`,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

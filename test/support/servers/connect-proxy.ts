import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ConnectProxyOptions {
  /** `user:password` that clients must send. */
  readonly credentials?: string;
  /** The status for a target instead of a tunnel, or no response at all. */
  readonly refuse?: (target: string) => number | 'never' | undefined;
}

export interface ConnectProxy extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly port: number;
  /** The target of each CONNECT, such as `files.test.example:443`. */
  readonly targets: readonly string[];
  /** Requests other than CONNECT. */
  readonly others: readonly string[];
}

/** The variables by which programs find a proxy. */
export function proxyVariables(url: string): Readonly<Record<string, string>> {
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NODE_USE_ENV_PROXY: '1',
  };
}

/** An HTTP proxy that resolves every name to 127.0.0.1. */
export async function startConnectProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const targets: string[] = [];
  const others: string[] = [];
  const sockets = new Set<Duplex>();
  function track<T extends Duplex>(socket: T): T {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    return socket;
  }
  function isKnown({ headers }: IncomingMessage): boolean {
    return (
      options.credentials === undefined ||
      headers['proxy-authorization'] === `Basic ${Buffer.from(options.credentials).toString('base64')}`
    );
  }
  const server = createServer((request, response) => {
    others.push(`${request.method} ${request.url}`);
    response.writeHead(400).end();
  });
  server.on('connection', (socket: Socket) => track(socket));
  server.on('connect', (request, client, head) => {
    const target = request.url ?? '';
    targets.push(target);
    const status = isKnown(request) ? options.refuse?.(target) : 407;
    if (status === 'never') return;
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const upstream = track(connect(Number(target.slice(target.lastIndexOf(':') + 1)), '127.0.0.1'));
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.once('close', () => client.destroy());
    client.once('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    targets,
    others,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

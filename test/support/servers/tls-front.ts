import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';

/** Certificates of servers, by file, and the authorities that signed them. */
const AUTHORITIES = {
  'private.pem': 'private-ca.pem',
  'loopback.pem': 'loopback.pem',
  'trusted.pem': 'ca.pem',
} as const;
type ServerCertificate = keyof typeof AUTHORITIES;

export function certificatePath(name: string): string {
  return join(import.meta.dirname, 'certificates', name);
}

export function certificateText(name: string): string {
  return readFileSync(certificatePath(name), 'utf8');
}

export interface TlsFront extends AsyncDisposable {
  /** Such as `https://127.0.0.1:40123`. */
  readonly url: string;
  readonly port: number;
  /** PEM of the authority of its certificate. */
  readonly authority: string;
}

/** Terminates TLS in front of a plain server on loopback. With a server name, it knows no other, like a proxy of many servers. */
export async function startTlsFront(
  upstream: string,
  certificate: ServerCertificate = 'private.pem',
  serverName?: string,
): Promise<TlsFront> {
  const target = Number(new URL(upstream).port);
  const sockets = new Set<Socket>();
  function track(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  }
  const tls = { cert: certificateText(certificate), key: certificateText('server.key') };
  const server = createServer(tls, (client) => {
    if (serverName !== undefined && client.servername !== serverName) {
      client.destroy();
      return;
    }
    const plain = track(connect(target, '127.0.0.1'));
    track(client).pipe(plain).pipe(client);
    client.once('close', () => plain.destroy());
    plain.once('close', () => client.destroy());
  });
  server.on('connection', track);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    authority: certificateText(AUTHORITIES[certificate]),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

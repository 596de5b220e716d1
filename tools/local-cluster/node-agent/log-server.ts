import { open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';

/** The log of a running or finished container. */
export interface ContainerLog {
  readonly path: string;
  readonly running: () => boolean;
}

export interface LogServerOptions {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** Common name of the only client certificate that may read: the API server's. */
  readonly reader: string;
  readonly find: (namespace: string, pod: string, container: string) => ContainerLog | undefined;
}

export interface LogServer extends AsyncDisposable {
  readonly port: number;
}

const FOLLOW_MS = 200;
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

/** The part of the kubelet API that `kubectl logs` needs. Its only client is the API server. */
export async function startLogServer(options: LogServerOptions): Promise<LogServer> {
  const { ca, cert, key } = options;
  const server = createServer(
    { ca, cert, key, requestCert: true, rejectUnauthorized: true },
    (call, reply) => {
      respond(call, reply, options).catch(() => reply.destroy());
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  function close(): Promise<void> {
    return new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
  // The address of a TCP server always has this type.
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

async function respond(
  call: IncomingMessage,
  reply: ServerResponse,
  options: LogServerOptions,
): Promise<void> {
  const reader = (call.socket as TLSSocket).getPeerCertificate().subject.CN;
  if (reader !== options.reader) return end(reply, 403, 'only the API server reads logs');
  const url = new URL(call.url ?? '/', 'https://node');
  const [kind, namespace = '', pod = '', container = ''] = url.pathname.slice(1).split('/');
  if (kind !== 'containerLogs') return end(reply, 404, `the local node has no ${kind}, only logs`);
  const log = options.find(namespace, pod, container);
  if (log === undefined)
    return end(reply, 404, `container ${container} of ${namespace}/${pod} has no log here`);
  const tailLines = url.searchParams.get('tailLines');
  const follow = url.searchParams.get('follow') === 'true';
  await send(log, reply, { follow, tailLines: tailLines === null ? undefined : Number(tailLines) });
}

async function send(
  log: ContainerLog,
  reply: ServerResponse,
  how: { readonly follow: boolean; readonly tailLines: number | undefined },
): Promise<void> {
  await using file = await open(log.path, 'a+');
  reply.writeHead(200, { 'content-type': 'text/plain' });
  let position = how.tailLines === undefined ? 0 : startOfTail(await file.readFile(), how.tailLines);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  while (!reply.destroyed) {
    // Checked before the read, so that the read includes everything that was written until then.
    const running = log.running();
    const { bytesRead } = await file.read({ buffer, position });
    position += bytesRead;
    if (bytesRead > 0) reply.write(Buffer.from(buffer.subarray(0, bytesRead)));
    else if (how.follow && running) await delay(FOLLOW_MS);
    else break;
  }
  reply.end();
}

/** Offset of the last `lines` lines. */
function startOfTail(content: Buffer, lines: number): number {
  if (lines === 0) return content.length;
  // A final line break ends the last line and does not start another.
  let position = content.at(-1) === NEWLINE ? content.length - 1 : content.length;
  for (let left = lines; left > 0; left--) {
    position = position === 0 ? -1 : content.lastIndexOf(NEWLINE, position - 1);
    if (position < 0) return 0;
  }
  return position + 1;
}

function end(reply: ServerResponse, status: number, text: string): void {
  reply.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}

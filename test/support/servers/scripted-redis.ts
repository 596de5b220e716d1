import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { certificateText } from './tls-front.ts';

/** A server on loopback with Redis's protocol whose responses the test chooses: a failover without two servers. */
export interface ScriptedRedis extends AsyncDisposable {
  readonly port: number;
  /** The server name that each TLS connection asked for. */
  readonly serverNames: readonly string[];
  connections(): number;
}

/** A response in the protocol of Redis, such as `+OK` or `-READONLY …`, to a command by its name in lower case; empty for none. */
export type RedisScript = (command: string) => string;

const ARRAY = /^\*(\d+)\r\n/;
const TEXT = /^\$(\d+)\r\n/;

/** The first complete command of the text, which is ASCII, and its length. */
function readCommand(text: string): { readonly name: string; readonly length: number } | undefined {
  const head = ARRAY.exec(text);
  if (head === null) return undefined;
  const parts: string[] = [];
  let at = head[0].length;
  while (parts.length < Number(head[1])) {
    const size = TEXT.exec(text.slice(at));
    if (size === null) return undefined;
    const start = at + size[0].length;
    at = start + Number(size[1]) + 2;
    if (text.length < at) return undefined;
    parts.push(text.slice(start, at - 2));
  }
  return { name: (parts[0] ?? '').toLowerCase(), length: at };
}

/** What a client sends before its first command. */
const HANDSHAKE: Readonly<Record<string, string>> = {
  hello: '-NOPROTO unsupported protocol version',
  client: '+OK',
  info: '+redis_version:7.4.0',
};

function serve(socket: Socket, script: RedisScript): void {
  let text = '';
  socket.setEncoding('latin1').on('data', (data) => {
    text += String(data);
    for (let command = readCommand(text); command !== undefined; command = readCommand(text)) {
      text = text.slice(command.length);
      const response = HANDSHAKE[command.name] ?? script(command.name);
      if (response !== '') socket.write(`${response}\r\n`);
    }
  });
}

export async function startScriptedRedis(
  script: RedisScript,
  { tls = false }: { readonly tls?: boolean } = {},
): Promise<ScriptedRedis> {
  const sockets = new Set<Socket>();
  const serverNames: string[] = [];
  let connections = 0;
  function accept(socket: Socket): void {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    serve(socket, script);
  }
  const server: Server = tls
    ? createTlsServer(
        { cert: certificateText('private.pem'), key: certificateText('server.key') },
        (socket) => {
          serverNames.push(String(socket.servername));
          accept(socket);
        },
      )
    : createServer(accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    serverNames,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

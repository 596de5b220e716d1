import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `request`: the server does not receive the message. `response`: it does, but nobody receives its response. */
export type Cut = 'request' | 'response';

/** When a connection is cut: at this message of the client, counted from 1. */
export interface CutPlan {
  readonly message: number;
  readonly cut: Cut;
}

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** Connections that were cut so far. */
  readonly cuts: number;
}

/**
 * A proxy, by default on 127.0.0.1, that cuts connections as planned; `plan` is asked for each, counted from 1. Undefined: not at
 * all.
 */
export async function startCuttingProxy(
  targetPort: number,
  plan: (connection: number) => CutPlan | undefined,
  host = '127.0.0.1',
): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let connections = 0;
  let cuts = 0;
  const server = createServer((client) => {
    connections += 1;
    const planned = plan(connections);
    const target = connect(targetPort, '127.0.0.1');
    let messages = 0;
    let isCut = false;
    function end(): void {
      for (const socket of [client, target]) {
        open.delete(socket);
        socket.destroy();
      }
    }
    function cut(): void {
      if (!isCut) cuts += 1;
      isCut = true;
      end();
    }
    for (const socket of [client, target]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
    }
    client.on('data', (data) => {
      messages += 1;
      if (messages === planned?.message && planned.cut === 'request') cut();
      else target.write(data);
    });
    target.on('data', (data) => {
      if (messages === planned?.message && planned.cut === 'response') cut();
      else client.write(data);
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get cuts() {
      return cuts;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

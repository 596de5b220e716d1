import { connect, type Socket } from 'node:net';

export interface SlowClientsOptions {
  readonly url: string;
  readonly count: number;
  /** Interval between the bytes of one client. */
  readonly everyMs: number;
  /** Every other client sends complete headers with this token, and then its body slowly. */
  readonly token: string;
}

export interface SlowClients extends Disposable {
  /** Clients that got a connection. */
  readonly connected: number;
  /** Clients whose connection was closed by the other side. */
  readonly closed: number;
  /** Clients that got a 408 response first. */
  readonly responded408: number;
  /** Duration of the longest connection that was closed. */
  readonly longestMs: number;
}

function startOfRequest(index: number, token: string): string {
  return index % 2 === 0
    ? 'GET /v1/zips/x HTTP/1.1\r\nHost: a\r\nX-Slow: '
    : `POST /v1/zips HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 10000\r\n\r\n';
}

/** Clients that keep their connections open by sending a byte at intervals. */
export function openSlowClients({ url, count, everyMs, token }: SlowClientsOptions): SlowClients {
  const { hostname, port } = new URL(url);
  const state = { connected: 0, closed: 0, responded408: 0, longestMs: 0 };
  const timers: NodeJS.Timeout[] = [];
  const sockets: Socket[] = [];
  function open(index: number): void {
    const socket = connect(Number(port), hostname, () => {
      state.connected += 1;
      const openedAt = performance.now();
      socket.write(startOfRequest(index, token));
      socket.once('close', () => {
        state.closed += 1;
        state.longestMs = Math.max(state.longestMs, performance.now() - openedAt);
      });
    });
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => {
      if (bytes.toString().startsWith('HTTP/1.1 408 ')) state.responded408 += 1;
      socket.resume();
    });
    sockets.push(socket);
    function drip(): void {
      if (socket.writable) socket.write('a');
    }
    // Spread over the interval, like independent clients.
    timers.push(setTimeout(() => timers.push(setInterval(drip, everyMs)), (index * everyMs) / count));
  }
  for (let index = 0; index < count; index += 1) open(index);
  return {
    get connected() {
      return state.connected;
    },
    get closed() {
      return state.closed;
    },
    get responded408() {
      return state.responded408;
    },
    get longestMs() {
      return state.longestMs;
    },
    [Symbol.dispose]: () => {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

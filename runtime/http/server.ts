import { once } from 'node:events';
import type { Server } from 'node:http';
import { ConfigError } from '../errors.ts';

export interface ListeningServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /**
   * Accepts no new connection, waits at most `drainMs` for active requests, then closes all sockets. Disposing does the
   * same with the limit from `listen`.
   */
  close(drainMs?: number): Promise<void>;
}

export interface ListenAddress {
  /** `''` for all addresses, IPv6 and IPv4. */
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Default limit of `close`, in milliseconds. */
  readonly drainMs?: number;
}

const DEFAULT_DRAIN_MS = 5_000;

function closeServer(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.closeAllConnections();
    }, drainMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    // Otherwise an idle keep-alive connection would keep the server open.
    server.closeIdleConnections();
  });
}

/**
 * Starts listening.
 * @throws ConfigError if the address is not available
 */
export async function listen(server: Server, address: ListenAddress): Promise<ListeningServer> {
  const { host, port, drainMs = DEFAULT_DRAIN_MS } = address;
  let closing = false;
  // While the server closes, each connection ends after its current response.
  server.prependListener('request', (_request, response) => {
    if (closing) response.setHeader('connection', 'close');
    response.once('finish', () => {
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
  });
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ConfigError(
      `Cannot listen on ${host === '' ? '*' : host}:${port}; set another HOST or port`,
      error,
    );
  }
  const bound = server.address();
  let closed: Promise<void> | undefined;
  function close(limitMs = drainMs): Promise<void> {
    closing = true;
    closed ??= closeServer(server, limitMs);
    return closed;
  }
  return {
    host,
    port: bound !== null && typeof bound === 'object' ? bound.port : port,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

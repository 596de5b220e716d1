import type { Server } from 'node:http';

export interface ListeningServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Takes no new connection, lets requests in hand end for at most `drainMs`, then closes every socket. */
  close(drainMs?: number): Promise<void>;
}

export declare const listen: (
  server: Server,
  address: { readonly host: string; readonly port: number; readonly drainMs?: number },
) => Promise<ListeningServer>;

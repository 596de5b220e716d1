import type { Registry } from 'prom-client';
import type { Logger } from '../log.ts';
import type { ListeningServer } from './server.ts';

export type Check = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface AdminServerOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly registry: Registry;
  readonly healthy: () => Check;
  readonly ready: () => Check;
  readonly log: Logger;
}

/** /healthz, /readyz and /metrics. */
export declare const startAdminServer: (options: AdminServerOptions) => Promise<ListeningServer>;

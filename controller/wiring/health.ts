import type { Check } from '#runtime/http/admin-server.ts';
import type { WorkQueue } from '../reconciling/work-queue.ts';
import type { Watches } from '../watches.ts';

export interface HealthOptions {
  readonly watches: Pick<Watches, 'hasSynced' | 'silenceMs'>;
  readonly queue: Pick<WorkQueue, 'longestRunningMs'>;
  readonly silenceLimitMs: number;
  readonly reconcileTimeoutMs: number;
}

export interface Health {
  readonly healthy: () => Check;
  readonly ready: () => Check;
}

/** Before the caches exist. A restart would not help. */
export const STARTING: Health = {
  healthy: () => ({ ok: true }),
  ready: () => ({ ok: false, reason: 'the addresses of the cluster have not been read yet' }),
};

/** Unhealthy only if a restart helps: after a watch became silent, or if a reconcile never ends. */
export function createHealth(options: HealthOptions): Health {
  return {
    healthy: () => {
      const silenceMs = options.watches.silenceMs();
      if (silenceMs > options.silenceLimitMs)
        return { ok: false, reason: `a watch has been silent for ${Math.round(silenceMs / 1000)} s` };
      const longestMs = options.queue.longestRunningMs();
      if (longestMs > options.reconcileTimeoutMs)
        return { ok: false, reason: `a reconcile has been running for ${Math.round(longestMs / 1000)} s` };
      return { ok: true };
    },
    ready: () =>
      options.watches.hasSynced ? { ok: true } : { ok: false, reason: 'the caches are not filled yet' },
  };
}

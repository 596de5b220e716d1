import type { CacheGroup } from '../kube/cache-group.ts';
import type { Check } from './admin-server.ts';

export interface Readiness {
  readonly healthy: () => Check;
  readonly ready: () => Check;
  /** The port is open. */
  listening(): void;
}

/**
 * Ready from the open port until the stop signal. A later outage of the API server does not make a replica unready: all
 * replicas would become unready at once, although they can still respond from their caches.
 */
export function createReadiness(deps: {
  readonly caches: Pick<CacheGroup, 'missing'>;
  readonly stopping: AbortSignal;
}): Readiness {
  let isListening = false;
  return {
    healthy: () => ({ ok: true }),
    ready: () => {
      if (deps.stopping.aborted) return { ok: false, reason: 'stopping' };
      const missing = deps.caches.missing();
      if (missing.length > 0)
        return { ok: false, reason: `waiting for the initial list of: ${missing.join(', ')}` };
      return isListening ? { ok: true } : { ok: false, reason: 'the port is not open yet' };
    },
    listening: () => {
      isListening = true;
    },
  };
}

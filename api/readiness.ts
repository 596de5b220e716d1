import type { Check } from '#runtime/http/admin-server.ts';

export interface Readiness {
  readonly healthy: () => Check;
  readonly ready: () => Check;
  /** The port is open. */
  listening(): void;
}

/**
 * Ready from the open port to the signal to stop. An API server that is away later does not make a replica unready: all
 * replicas would be at once, while cached answers are still good.
 */
export const createReadiness = (deps: {
  readonly caches: { readonly hasSynced: boolean };
  readonly stopping: AbortSignal;
}): Readiness => {
  let isListening = false;
  return {
    healthy: () => ({ ok: true }),
    ready: () => {
      if (deps.stopping.aborted) return { ok: false, reason: 'stopping' };
      if (!deps.caches.hasSynced)
        return { ok: false, reason: 'the first lists of the caches are not read yet' };
      return isListening ? { ok: true } : { ok: false, reason: 'the port is not open yet' };
    },
    listening: () => {
      isListening = true;
    },
  };
};

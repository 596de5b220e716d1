import type { Server } from 'node:http';
import type { Registry } from 'prom-client';
import type { CacheGroup } from '../kube/cache/cache-group.ts';
import type { Logger } from '../log/log.ts';
import type { Lifetime } from '../process/lifecycle.ts';
import { releaseMemory } from '../process/release-memory.ts';
import { pause, systemClock } from '../time/clock.ts';
import type { ServerCertificate } from '../tls/server-certificate.ts';
import { type AdminRoute, type Check, startAdminServer } from './admin-server.ts';
import { listen } from './server.ts';
import type { HttpSettings } from './settings.ts';

interface Readiness {
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

export interface Served {
  readonly config: Pick<HttpSettings, 'host' | 'port' | 'adminPort' | 'shutdownPauseMs' | 'shutdownDrainMs'>;
  readonly log: Logger;
  readonly registry: Registry;
  /** Requests are accepted once these have their initial lists. */
  readonly caches: Pick<CacheGroup, 'start' | 'synced' | 'missing'>;
  readonly server: Server;
  /** Further paths of the admin port. */
  readonly adminRoutes?: Readonly<Record<string, AdminRoute>>;
  /** Of the server, for health and metrics too. Undefined: plain HTTP. */
  readonly certificate?: ServerCertificate | undefined;
}

/** Time to close connections after pause and drain. */
const CLOSING_MS = 1_000;

/** The longest that serveRequests takes after the stop signal. */
export function shutdownLimitMs({
  shutdownPauseMs,
  shutdownDrainMs,
}: Pick<HttpSettings, 'shutdownPauseMs' | 'shutdownDrainMs'>): number {
  return shutdownPauseMs + shutdownDrainMs + CLOSING_MS;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** False if the stop signal came first. */
async function isFilled(caches: Served['caches'], stopping: AbortSignal): Promise<boolean> {
  caches.start();
  try {
    await caches.synced(stopping);
    return true;
  } catch (error) {
    if (stopping.aborted) return false;
    throw error;
  }
}

/** Serves health and metrics at once and requests when the caches are filled, until the stop signal; then lets open requests finish. */
export async function serveRequests(served: Served, { stopping, resources }: Lifetime): Promise<void> {
  const { config, log, registry, caches, server, certificate, adminRoutes: routes } = served;
  const { host, shutdownDrainMs: drainMs } = config;
  const readiness = createReadiness({ caches, stopping });
  resources.use(
    await startAdminServer({
      host,
      port: config.adminPort,
      registry,
      log,
      certificate,
      routes,
      ...readiness,
    }),
  );
  if (!(await isFilled(caches, stopping))) return;
  releaseMemory();
  const listening = resources.use(await listen(server, { host, port: config.port, drainMs }));
  readiness.listening();
  log.info({ host, port: listening.port }, 'accepting requests');
  await aborted(stopping);
  // Load balancers keep sending requests until they notice that this replica is not ready.
  await pause(systemClock, config.shutdownPauseMs, new AbortController().signal);
  await listening.close(drainMs);
}

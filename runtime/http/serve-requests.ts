import type { Server } from 'node:http';
import type { Registry } from 'prom-client';
import { pause, systemClock } from '../clock.ts';
import type { CacheGroup } from '../kube/cache-group.ts';
import type { Lifetime } from '../lifecycle.ts';
import type { Logger } from '../log.ts';
import { releaseMemory } from '../release-memory.ts';
import { startAdminServer } from './admin-server.ts';
import { createReadiness } from './readiness.ts';
import { listen } from './server.ts';
import type { HttpSettings } from './settings.ts';

export interface Served {
  readonly config: Pick<HttpSettings, 'host' | 'port' | 'adminPort' | 'shutdownPauseMs' | 'shutdownDrainMs'>;
  readonly log: Logger;
  readonly registry: Registry;
  /** Requests are accepted once these have their initial lists. */
  readonly caches: Pick<CacheGroup, 'start' | 'synced' | 'missing'>;
  readonly server: Server;
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
  const { config, log, registry, caches, server } = served;
  const { host, shutdownDrainMs: drainMs } = config;
  const readiness = createReadiness({ caches, stopping });
  resources.use(await startAdminServer({ host, port: config.adminPort, registry, log, ...readiness }));
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

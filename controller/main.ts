import { randomUUID } from 'node:crypto';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { exportBuildInfo } from '#runtime/build-info.ts';
import { startAdminServer } from '#runtime/http/admin-server.ts';
import { createKubeClient } from '#runtime/kube/client.ts';
import { createKubeConfig } from '#runtime/kube/kube-config.ts';
import { createKubeMetrics } from '#runtime/kube/kube-metrics.ts';
import type { Lifetime } from '#runtime/lifecycle.ts';
import type { Logger } from '#runtime/log.ts';
import { createServerClock } from '#runtime/server-clock.ts';
import { startProcess } from '#runtime/start-process.ts';
import packageJson from '../package.json' with { type: 'json' };
import { type ControllerConfig, readControllerConfig } from './config.ts';
import { runAsLeader } from './engine/leader-election.ts';
import { exportState } from './export-state.ts';
import { createHealth } from './health.ts';
import { createClients } from './kube-state/clients.ts';
import { createLeading } from './leading.ts';
import { createControllerMetrics } from './metrics.ts';
import { createParts, type Parts } from './wiring.ts';

const NAME = 'zipjobs-controller';
/** Time after the drain to release the lease and close the connections. */
const CLOSING_MS = 4_000;

const holdLease = (
  { config, clients, metrics, log, pause, stopping }: Parts,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> =>
  runAsLeader({
    leases: clients.leases,
    namespace: config.podNamespace,
    name: config.leaseName,
    identity: `${config.podName}_${randomUUID()}`,
    leaseDurationMs: config.leaseDurationMs,
    renewDeadlineMs: Math.floor((config.leaseDurationMs * 2) / 3),
    retryPeriodMs: Math.floor(config.leaseDurationMs / 10),
    lead: work,
    signal: stopping,
    log,
    onSeen: (lease) => pause.see(lease),
    onChange: (isLeader) => {
      metrics.leader.set({ name: config.leaseName }, isLeader ? 1 : 0);
    },
  });

const serve = async (config: ControllerConfig, log: Logger, lifetime: Lifetime): Promise<number> => {
  const { stopping, resources } = lifetime;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  exportBuildInfo(registry, packageJson.version);
  const metrics = createControllerMetrics(registry);
  const kubeMetrics = createKubeMetrics(registry);
  const clock = createServerClock();
  const kube = resources.use(
    createKubeClient({
      clock,
      access: await createKubeConfig(config),
      requestTimeoutMs: config.kubeRequestTimeoutMs,
      userAgent: NAME,
      countCall: kubeMetrics.countCall,
    }),
  );
  const clients = createClients(kube);
  const parts = createParts({ config, log, metrics, kubeMetrics, clients, kube, stopping, clock });
  const { watches, queue } = parts;
  exportState(registry, parts);
  metrics.leader.set({ name: config.leaseName }, 0);
  const health = createHealth({
    watches,
    queue,
    silenceLimitMs: config.watchSilenceLimitMs,
    reconcileTimeoutMs: config.reconcileTimeoutMs,
  });
  const { host, adminPort: port } = config;
  resources.use(await startAdminServer({ host, port, registry, log, ...health }));
  const watching = new AbortController();
  const running = Promise.all([watches.run(watching.signal), parts.children.run(watching.signal)]);
  resources.defer(async () => {
    watching.abort();
    await running;
  });
  const work = createLeading(parts, lifetime);
  await holdLease(parts, async (signal) => {
    parts.leadership.isOurs = true;
    await work(signal);
  });
  return 0;
};

await startProcess({
  name: NAME,
  env: process.env,
  readConfig: readControllerConfig,
  serve,
  shutdownTimeoutMs: ({ shutdownTimeoutMs }) => shutdownTimeoutMs + CLOSING_MS,
});

import { randomUUID } from 'node:crypto';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { startAdminServer } from '#runtime/http/admin-server.ts';
import { createKubeConfig } from '#runtime/kube/client/kube-config.ts';
import { readObjectMetadata } from '#runtime/kube/client/object-metadata.ts';
import { createKubeMetrics } from '#runtime/kube/kube-metrics.ts';
import type { Logger } from '#runtime/log/log.ts';
import { projectLabelsOf } from '#runtime/metrics/project-labels.ts';
import { exportBuildInfo } from '#runtime/process/build-info.ts';
import type { Lifetime } from '#runtime/process/lifecycle.ts';
import { startProcess } from '#runtime/process/start-process.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createBundleTrust } from '#runtime/tls/bundle-file.ts';
import { openTracer, type Tracer } from '#runtime/tracing/tracer.ts';
import packageJson from '../package.json' with { type: 'json' };
import { refuseApiServerAudiences } from './cluster/api-server-audiences.ts';
import { connectClients } from './cluster/clients.ts';
import { readClusterAddresses, withClusterAddresses } from './cluster/cluster-addresses.ts';
import { type ControllerConfig, readControllerConfig } from './config/config.ts';
import { createControllerMetrics } from './metrics.ts';
import { createEvents } from './reconciling/events.ts';
import { runAsLeader } from './reconciling/leader-election.ts';
import { createWatchedClock } from './reconciling/watched-clock.ts';
import { exportState } from './wiring/export-state.ts';
import { createHealth, STARTING } from './wiring/health.ts';
import { createLeading } from './wiring/leading.ts';
import { type Base, createParts, type Parts } from './wiring/wiring.ts';

const NAME = 'zipjobs-controller';
const SOURCE = { service: NAME, version: packageJson.version };
/** Time after the drain to release the lease and close the connections. */
const CLOSING_MS = 4_000;

function holdLease(
  { config, clients, metrics, log, pause, stopping }: Parts,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  return runAsLeader({
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
}

/** The settings with the addresses of the cluster; undefined if the process is stopped before they are known. */
async function configOfCluster(
  given: ControllerConfig,
  deps: Parameters<typeof readClusterAddresses>[0],
): Promise<ControllerConfig | undefined> {
  try {
    const addresses = await readClusterAddresses(deps);
    if (addresses.serviceCidrs === undefined && given.egressClusterCidrs.length === 0)
      deps.log.warn(
        'the service ranges of the cluster cannot be read: if they look like public addresses, set egress.clusterCidrs',
      );
    return withClusterAddresses(given, addresses);
  } catch (error) {
    if (deps.signal.aborted) return undefined;
    throw error;
  }
}

function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  exportBuildInfo(registry, packageJson.version);
  return registry;
}

/** The metrics, and the label of projects in them. */
function createFigures(registry: Registry, config: ControllerConfig, isReady: () => boolean) {
  const projectLabels = projectLabelsOf(config, { clock: systemClock, isReady });
  return { metrics: createControllerMetrics(registry, projectLabels), projectLabels };
}

/** They run until the lifetime ends. */
function startWatches({ watches, children }: Parts, resources: Lifetime['resources']): void {
  const watching = new AbortController();
  const running = Promise.all([watches.run(watching.signal), children.run(watching.signal)]);
  resources.defer(async () => {
    watching.abort();
    await running;
  });
}

function traceWith(
  { config, log, metrics, trust }: Omit<Base, 'tracer'>,
  resources: Lifetime['resources'],
): Promise<Tracer | undefined> {
  return openTracer(config, { source: SOURCE, trust, metrics: metrics.tracing, log, resources });
}

async function serve(given: ControllerConfig, log: Logger, lifetime: Lifetime): Promise<number> {
  const { stopping, resources } = lifetime;
  const registry = createRegistry();
  let parts: Parts | undefined;
  const figures = createFigures(registry, given, () => parts?.watches.hasSynced === true);
  const kubeMetrics = createKubeMetrics(registry);
  const watchedClock = createWatchedClock(systemClock, kubeMetrics.clockDiffered);
  const { clock } = watchedClock;
  const trust = createBundleTrust(given, { clock, log });
  const access = await createKubeConfig(given);
  await refuseApiServerAudiences(given.storeTokenAudiences, access);
  const connection = {
    clock,
    access,
    requestTimeoutMs: given.kubeRequestTimeoutMs,
    userAgent: NAME,
    objectMetadata: readObjectMetadata(given),
    countCall: kubeMetrics.countCall,
  };
  const { kube, clients } = connectClients(connection, resources);
  watchedClock.reportTo({
    lease: { namespace: given.podNamespace, name: given.leaseName },
    record: createEvents({ kind: 'Lease', events: clients.events, instance: given.podName, clock, log }),
    log,
  });
  let health = STARTING;
  const { host, adminPort: port } = given;
  const checks = { healthy: () => health.healthy(), ready: () => health.ready() };
  resources.use(await startAdminServer({ host, port, registry, log, ...checks }));
  const config = await configOfCluster(given, { kube, log, signal: stopping });
  if (!config) return 0;
  const base = { config, log, ...figures, kubeMetrics, clients, kube, stopping, clock, trust };
  parts = createParts({ ...base, tracer: await traceWith(base, resources) });
  const { watches, queue } = parts;
  exportState(registry, parts);
  figures.metrics.leader.set({ name: config.leaseName }, 0);
  health = createHealth({
    watches,
    queue,
    silenceLimitMs: config.watchSilenceLimitMs,
    reconcileTimeoutMs: config.reconcileTimeoutMs,
  });
  startWatches(parts, resources);
  const work = createLeading(parts, lifetime);
  await holdLease(parts, async (signal) => {
    parts.leadership.isOurs = true;
    await work(signal);
  });
  return 0;
}

await startProcess({
  name: NAME,
  env: process.env,
  readConfig: readControllerConfig,
  serve,
  shutdownTimeoutMs: ({ shutdownTimeoutMs }) => shutdownTimeoutMs + CLOSING_MS,
});

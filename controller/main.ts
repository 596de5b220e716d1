import { randomUUID } from 'node:crypto';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { exportBuildInfo } from '#runtime/build-info.ts';
import { systemClock } from '#runtime/clock.ts';
import { startAdminServer } from '#runtime/http/admin-server.ts';
import { createKubeClient, type KubeClient } from '#runtime/kube/client.ts';
import { createKubeConfig } from '#runtime/kube/kube-config.ts';
import { createKubeMetrics, type KubeMetrics } from '#runtime/kube/kube-metrics.ts';
import { createObjectClient } from '#runtime/kube/object-client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { Lifetime } from '#runtime/lifecycle.ts';
import type { Logger } from '#runtime/log.ts';
import { startProcess } from '#runtime/start-process.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createAct } from './act.ts';
import { type ControllerConfig, readControllerConfig } from './config.ts';
import { createLead } from './controller.ts';
import { decide } from './decide.ts';
import { createEvents } from './events.ts';
import { exportState } from './export-state.ts';
import { createHealth } from './health.ts';
import { runAsLeader } from './leader-election.ts';
import { measurePass, ZIPJOB, ZIPPROJECT } from './measure-pass.ts';
import { createMemory, type Memory } from './memory.ts';
import { type ControllerMetrics, createControllerMetrics, workQueueMetrics } from './metrics.ts';
import { createObserve } from './observe.ts';
import { createReconcileProject } from './project.ts';
import { projectWebhook } from './project-webhook.ts';
import { createProjectChildren, type ProjectChildren } from './projects/project-children.ts';
import { zipperNetworkOf } from './projects/zipper-network.ts';
import { createReconcile, type Reconcile } from './reconcile.ts';
import { createSlots, type Slots, slotSettings } from './slots.ts';
import { createIsNamespaceTerminating } from './terminating-namespaces.ts';
import { createWatches, type Watches } from './watches.ts';
import { createWebhookDispatcher, type WebhookDispatcher } from './webhook/dispatcher.ts';
import { createEndpointNotes, type EndpointNotes } from './webhook/endpoint-notes.ts';
import { createPlanDelivery } from './webhook/plan-delivery.ts';
import { createSender, type Sender } from './webhook/sender.ts';
import { createPlanTest, projectOfTest, testKeyOf } from './webhook/test-event.ts';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';

const NAME = 'zipjobs-controller';
const LONGEST_BACKOFF_MS = 60_000;
/** What the process needs beyond the drain to release the lease and close its connections. */
const CLOSING_MS = 4_000;

const createClients = (kube: KubeClient) => ({
  zipJobs: createObjectClient(kube, RESOURCES.zipJobs),
  buckets: createObjectClient(kube, RESOURCES.zipBuckets),
  projects: createObjectClient(kube, RESOURCES.zipProjects),
  jobs: createObjectClient(kube, RESOURCES.jobs),
  pods: createObjectClient(kube, RESOURCES.pods),
  secrets: createObjectClient(kube, RESOURCES.secrets),
  events: createObjectClient(kube, RESOURCES.events),
  leases: createObjectClient(kube, RESOURCES.leases),
  namespaces: createObjectClient(kube, RESOURCES.namespaces),
});

interface Parts {
  readonly config: ControllerConfig;
  readonly log: Logger;
  readonly clients: ReturnType<typeof createClients>;
  readonly metrics: ControllerMetrics;
  readonly kubeMetrics: KubeMetrics;
  readonly watches: Watches;
  readonly children: ProjectChildren;
  readonly slots: Slots;
  readonly endpointNotes: EndpointNotes;
  readonly queue: WorkQueue;
  readonly projectQueue: WorkQueue;
  readonly memory: Memory;
  readonly dispatcher: WebhookDispatcher;
  readonly clock: typeof systemClock;
}

const createDispatcher = (parts: Omit<Parts, 'dispatcher'>, stopping: AbortSignal): WebhookDispatcher => {
  const { config, log, queue, projectQueue } = parts;
  return createWebhookDispatcher({
    concurrency: config.webhookConcurrency,
    concurrencyPerEndpoint: config.webhookConcurrencyPerEndpoint,
    slowAfterMs: config.webhookSlowAfterMs,
    clock: parts.clock,
    signal: stopping,
    onAnswer: (key) => {
      const project = projectOfTest(key);
      if (project === undefined) queue.add(key);
      else projectQueue.add(project);
    },
    onError: (key, error) => {
      log.warn({ err: error, key }, 'a webhook could not be tried');
      const project = projectOfTest(key);
      if (project === undefined) queue.addRateLimited(key);
      else projectQueue.addRateLimited(project);
    },
  });
};

const createZipJobReconcile = (parts: Parts, sender: Sender): Reconcile => {
  const { config, log, clients, metrics, watches, queue, memory, dispatcher, slots, clock, endpointNotes } =
    parts;
  const planDelivery = createPlanDelivery(sender);
  const recordEvent = createEvents({ events: clients.events, instance: config.podName, clock, log });
  const act = createAct({
    ...clients,
    memory,
    recordEvent,
    dispatcher,
    endpointNotes,
    planDelivery,
    metrics,
    clock,
    log,
  });
  const observe = createObserve({
    ...clients,
    caches: watches.caches,
    memory,
    dispatcher,
    slots,
    isNamespaceTerminating: createIsNamespaceTerminating({ namespaces: clients.namespaces, clock }),
    clock,
  });
  return createReconcile({ observe, decide, act, queue, config, clock, metrics });
};

const createProjectReconcile = (parts: Parts, sender: Sender) => {
  const { config, clients, watches, children, dispatcher, endpointNotes, clock } = parts;
  const planTest = createPlanTest(sender);
  const options = {
    notes: endpointNotes,
    dispatcher,
    planTest,
    disableAfterSeconds: config.webhookDisableAfterSeconds,
    clock,
  };
  return createReconcileProject({
    find: (key) => watches.caches.projects.get(key),
    projects: clients.projects,
    children,
    webhook: (project) => projectWebhook(options, project),
    onGone: (key) => dispatcher.settle(testKeyOf(key)),
    clock,
  });
};

const lead = (parts: Parts, lifetime: Lifetime): ((signal: AbortSignal) => Promise<void>) => {
  const { config, clients, watches, children, queue, projectQueue, slots, clock } = parts;
  const sender = createSender({ config, secrets: clients.secrets, clock, resources: lifetime.resources });
  const reconcileProject = createProjectReconcile(parts, sender);
  return createLead({
    watches: {
      caches: watches.caches,
      synced: async (signal) => {
        await Promise.all([watches.synced(signal), children.synced(signal)]);
      },
    },
    slots,
    zipJobs: { queue, reconcile: createZipJobReconcile(parts, sender), workers: config.workers },
    projects: {
      queue: projectQueue,
      reconcile: (key) =>
        measurePass({ ...parts, controller: ZIPPROJECT }, async () => {
          await reconcileProject(key);
          return 'requeue_after';
        }),
      againAfterMs: config.fullPassSeconds * 1000,
    },
    fullPassMs: config.fullPassSeconds * 1000,
    clock,
  });
};

/** Watches of both replicas run, so that the one that takes over has its caches filled; only the leader fills its queues. */
const assemble = (
  base: Pick<Parts, 'config' | 'log' | 'metrics' | 'kubeMetrics' | 'clients'>,
  kube: KubeClient,
  stopping: AbortSignal,
) => {
  const { config, log, metrics, kubeMetrics } = base;
  const leadership = { isOurs: false };
  const queueOf = (name: string): WorkQueue =>
    createWorkQueue({
      log,
      maxDelayMs: LONGEST_BACKOFF_MS,
      drainTimeoutMs: config.shutdownTimeoutMs,
      metrics: workQueueMetrics(metrics, name),
    });
  const queue = queueOf(ZIPJOB);
  const projectQueue = queueOf(ZIPPROJECT);
  const slots: Slots = createSlots({
    ...slotSettings(config, (key) => watches.caches.projects.get(key)),
    pause: { reason: undefined },
    clock: systemClock,
    onGranted: (key) => queue.add(key),
  });
  const onProject = (key: string): void => {
    if (leadership.isOurs) projectQueue.add(key);
  };
  const watches: Watches = createWatches({
    slots,
    kube,
    log,
    metrics: kubeMetrics,
    onZipJob: (key) => {
      if (leadership.isOurs) queue.add(key);
    },
    onProject,
  });
  const children = createProjectChildren({
    kube,
    log,
    metrics: kubeMetrics,
    network: zipperNetworkOf(config),
    onProject,
  });
  const endpointNotes = createEndpointNotes((key) => projectQueue.add(key));
  const rest = {
    ...base,
    watches,
    children,
    slots,
    endpointNotes,
    queue,
    projectQueue,
    memory: createMemory(),
    clock: systemClock,
  };
  return { parts: { ...rest, dispatcher: createDispatcher(rest, stopping) }, leadership };
};

const holdLease = (
  { config, clients, metrics, log }: Parts,
  stopping: AbortSignal,
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
  const kube = resources.use(
    createKubeClient({
      access: await createKubeConfig(config),
      requestTimeoutMs: config.kubeRequestTimeoutMs,
      userAgent: NAME,
      countCall: kubeMetrics.countCall,
    }),
  );
  const clients = createClients(kube);
  const { parts, leadership } = assemble({ config, log, metrics, kubeMetrics, clients }, kube, stopping);
  const { watches, queue } = parts;
  exportState(registry, parts);
  metrics.leader.set({ name: config.leaseName }, 0);
  const health = createHealth({
    watches,
    queue,
    silenceLimitMs: config.watchSilenceLimitMs,
    passLimitMs: config.passLimitMs,
  });
  const { host, adminPort: port } = config;
  resources.use(await startAdminServer({ host, port, registry, log, ...health }));
  const watching = new AbortController();
  const running = Promise.all([watches.run(watching.signal), parts.children.run(watching.signal)]);
  resources.defer(async () => {
    watching.abort();
    await running;
  });
  const work = lead(parts, lifetime);
  await holdLease(parts, stopping, async (signal) => {
    leadership.isOurs = true;
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

import type { Lifetime } from '#runtime/lifecycle.ts';
import { createLead, type SideController } from './controller.ts';
import { createEventLane } from './engine/event-lane.ts';
import { createEvents } from './engine/events.ts';
import { createFinalizers } from './engine/finalizers.ts';
import { measureReconcile, ZIPBUCKET, ZIPPROJECT } from './engine/measure-reconcile.ts';
import { createPlanDelivery } from './webhook/plan-delivery.ts';
import { createSender, type Sender } from './webhook/sender.ts';
import { createPlanTest, testKeyOf } from './webhook/test-event.ts';
import type { Parts } from './wiring.ts';
import { createObserveBucket } from './zip-bucket/observe.ts';
import { createReconcileBucket } from './zip-bucket/reconcile.ts';
import { createAct } from './zip-job/act.ts';
import { decide } from './zip-job/decide.ts';
import { createObserve } from './zip-job/observe.ts';
import { createReconcile, type Reconcile } from './zip-job/reconcile.ts';
import { createReconcileProject } from './zip-project/keep-project.ts';
import { createLeaveProject } from './zip-project/leave-project.ts';
import { createLifeOfProject } from './zip-project/life-of-project.ts';
import { projectWebhook } from './zip-project/project-webhook.ts';

const createZipJobReconcile = (parts: Parts, sender: Sender, resources: Lifetime['resources']): Reconcile => {
  const { config, log, clients, metrics, watches, queue, memory, dispatcher, ledger, clock, endpointNotes } =
    parts;
  const planDelivery = createPlanDelivery({
    ...sender,
    findProject: (key) => watches.caches.projects.get(key),
  });
  const record = createEvents({ events: clients.events, instance: config.podName, clock, log });
  const events = resources.use(createEventLane({ record, clock, log }));
  const act = createAct({
    ...clients,
    memory,
    ledger,
    recordEvent: events.add,
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
    ledger,
    isNamespaceTerminating: parts.isNamespaceTerminating,
    clock,
  });
  return createReconcile({ observe, decide, act, queue, config, clock, metrics });
};

const createKeepProject = (parts: Parts, sender: Sender) => {
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
    onGone: (key) => dispatcher.acknowledge(testKeyOf(key)),
    clock,
  });
};

const createProjectReconcile = (parts: Parts, sender: Sender): SideController['reconcile'] => {
  const { clients, watches, metrics } = parts;
  const finalizers = createFinalizers({ kind: 'ZipProject', client: clients.projects, metrics });
  return createLifeOfProject({
    find: (key) => watches.caches.projects.get(key),
    finalizers,
    keep: createKeepProject(parts, sender),
    leave: createLeaveProject({
      ...clients,
      caches: watches.caches,
      finalizers,
      isNamespaceTerminating: parts.isNamespaceTerminating,
      projectDeletionSeconds: parts.config.projectDeletionSeconds,
      clock: parts.clock,
    }),
  });
};

const createBucketReconcile = (parts: Parts): SideController['reconcile'] => {
  const { config, clients, watches, metrics, isNamespaceTerminating, clock } = parts;
  return createReconcileBucket({
    ...clients,
    observe: createObserveBucket({ caches: watches.caches, pods: clients.pods, isNamespaceTerminating }),
    finalizers: createFinalizers({ kind: 'ZipBucket', client: clients.buckets, metrics }),
    config,
    clock,
  });
};

const measured =
  (
    parts: Parts,
    controller: typeof ZIPPROJECT | typeof ZIPBUCKET,
    reconcile: SideController['reconcile'],
  ): SideController['reconcile'] =>
  async (key) => {
    let afterMs: number | undefined;
    await measureReconcile({ ...parts, controller }, async () => {
      afterMs = await reconcile(key);
      return 'requeue_after';
    });
    return afterMs;
  };

/** The work of the leader: the controllers of ZipJobs, ZipProjects and ZipBuckets. */
export const createLeading = (
  parts: Parts,
  { resources }: Pick<Lifetime, 'resources'>,
): ((signal: AbortSignal) => Promise<void>) => {
  const { config, clients, watches, children, clock } = parts;
  const sender = createSender({ config, secrets: clients.secrets, clock, resources });
  const fullReconcileMs = config.fullReconcileSeconds * 1000;
  return createLead({
    watches: {
      caches: watches.caches,
      synced: async (signal) => {
        await Promise.all([watches.synced(signal), children.synced(signal)]);
      },
    },
    zipJobs: {
      queue: parts.queue,
      reconcile: createZipJobReconcile(parts, sender, resources),
      workers: config.workers,
    },
    projects: {
      queue: parts.projectQueue,
      reconcile: measured(parts, ZIPPROJECT, createProjectReconcile(parts, sender)),
      againAfterMs: fullReconcileMs,
    },
    buckets: {
      queue: parts.bucketQueue,
      reconcile: measured(parts, ZIPBUCKET, createBucketReconcile(parts)),
      againAfterMs: fullReconcileMs,
    },
    fullReconcileMs,
    clock,
  });
};

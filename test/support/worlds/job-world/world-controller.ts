import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createControllerMetrics } from '#controller/metrics.ts';
import { holdStarted } from '#controller/queue/hold-started.ts';
import { createLedger, type Ledger } from '#controller/queue/ledger.ts';
import { createApplyStatus } from '#controller/reconciling/apply-status.ts';
import { createFinalizers } from '#controller/reconciling/finalizers.ts';
import { ZIPJOB } from '#controller/reconciling/measure-reconcile.ts';
import { createReconcile, type Reconcile } from '#controller/reconciling/reconcile.ts';
import type { JobTraces } from '#controller/tracing/job-traces.ts';
import type { DeliveryState } from '#controller/webhook/dispatcher.ts';
import { createAct } from '#controller/zip-job/act.ts';
import { decide } from '#controller/zip-job/decide.ts';
import { createForget } from '#controller/zip-job/forget.ts';
import { createMemory, type Memory } from '#controller/zip-job/memory.ts';
import { createObserve } from '#controller/zip-job/observe.ts';
import { acceptance } from '#controller/zip-job/policies/restored.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Job, Pod, Secret } from '#runtime/kube/resources.ts';
import { BUILT_IN_LIMITS } from '#runtime/project-limits/class-settings.ts';
import { aConfig } from '../../builders/config.ts';
import type { createFakeCheckpoints } from '../../builders/fake-checkpoints.ts';
import { createFakeObjects, type FakeObjects } from '../../builders/fake-objects.ts';
import { aPod, NAME, NAMESPACE } from '../../builders/objects.ts';
import { NO_QUOTA_ROOM } from '../../builders/quota-room.ts';
import { createVersionedClient } from '../../builders/versioned-client.ts';
import type { Requeue } from './requeue.ts';

/** The parts of the world that the controller's process can access. */
interface ControllerWorld {
  readonly now: Date;
  readonly nowText: string;
  readonly zipJobs: FakeObjects<ZipJob>;
  readonly jobs: FakeObjects<Job>;
  readonly pods: FakeObjects<Pod>;
  readonly buckets: FakeObjects<ZipBucket>;
  readonly projects: FakeObjects<ZipProject>;
  readonly checkpoints: Pick<ReturnType<typeof createFakeCheckpoints>, 'client'>;
  readonly requeue: Requeue;
  readonly isNamespaceTerminating: boolean;
  readonly onWrite: (before: ZipJob, after: ZipJob) => void;
  /** The traces of a new process. */
  readonly newTraces: () => JobTraces | undefined;
  delivery: DeliveryState;
  write<T>(write: () => Promise<T>): Promise<T>;
  createJob(job: Job): Promise<Job | undefined>;
  removePod(name: string): void;
}

/** Every job is large enough for a ZipCheckpoint. */
const config = aConfig({ resumeFromBytes: 0 });
const metrics = createControllerMetrics(new Registry());
const log = pino({ level: 'silent' });

/** Like the labels that the Job controller sets on pods. */
function isOfJob({ metadata }: Pod, selector: string): boolean {
  return (
    metadata.ownerReferences?.some(({ name }) => selector === `batch.kubernetes.io/job-name=${name}`) === true
  );
}

function clientsOf(world: ControllerWorld) {
  const zipJobs = createVersionedClient(world.zipJobs, world.onWrite, () => world.nowText);
  const jobs = world.jobs.client;
  const checkpoints = world.checkpoints.client;
  return {
    zipJobs: {
      ...zipJobs,
      apply: (...call: Parameters<typeof zipJobs.apply>) => world.write(() => zipJobs.apply(...call)),
      mergePatch: (...call: Parameters<typeof zipJobs.mergePatch>) =>
        world.write(() => zipJobs.mergePatch(...call)),
      delete: (...call: Parameters<typeof zipJobs.delete>) => world.write(() => zipJobs.delete(...call)),
    },
    jobs: {
      ...jobs,
      create: (job: Job) => world.write(() => world.createJob(job)),
      // The only patch of a Job.
      mergePatch: async (target: Parameters<typeof jobs.mergePatch>[0]) => {
        const job = await jobs.get(target.namespace, target.name);
        if (job?.spec === undefined) throw new Error(`Job ${target.name} does not exist`);
        const changed = { ...job, spec: { ...job.spec, backoffLimit: 0 } };
        return world.write(() => Promise.resolve(world.jobs.put(changed)));
      },
      delete: (...call: Parameters<typeof jobs.delete>) => world.write(() => jobs.delete(...call)),
    },
    pods: {
      ...world.pods.client,
      list: ({ labelSelector = '' }: { readonly labelSelector?: string } = {}) =>
        Promise.resolve(world.pods.all().filter((pod) => isOfJob(pod, labelSelector))),
      apply: () => Promise.resolve(aPod('any')),
      delete: (_namespace: string, name: string) =>
        world.write(() => {
          world.removePod(name);
          return Promise.resolve(true);
        }),
    },
    buckets: world.buckets.client,
    checkpoints: {
      apply: (...call: Parameters<typeof checkpoints.apply>) => world.write(() => checkpoints.apply(...call)),
      delete: (...call: Parameters<typeof checkpoints.delete>) =>
        world.write(() => checkpoints.delete(...call)),
    },
    projects: world.projects.client,
    secrets: createFakeObjects<Secret>().client,
  };
}

function dispatcherOf(world: ControllerWorld) {
  return {
    submit: () => {
      world.delivery = { kind: 'inFlight' };
    },
    state: () => world.delivery,
    acknowledge: () => {
      world.delivery = { kind: 'idle' };
    },
    endpoints: () => [DEFAULT_ENDPOINT],
    waiting: 0,
  };
}

function cachesOf(world: ControllerWorld) {
  return {
    zipJobs: world.zipJobs.reflector,
    jobs: world.jobs.reflector,
    pods: world.pods.reflector,
    buckets: world.buckets.reflector,
    projects: world.projects.reflector,
  };
}

function actWith(
  clients: ReturnType<typeof clientsOf>,
  shared: Pick<Parameters<typeof createAct>[0], 'memory' | 'ledger' | 'dispatcher' | 'clock' | 'traces'>,
) {
  return createAct({
    ...clients,
    ...shared,
    config,
    kube: { objectMetadata: undefined },
    applyStatus: createApplyStatus('ZipJob', clients.zipJobs),
    finalizers: createFinalizers({
      kind: 'ZipJob',
      client: clients.zipJobs,
      annotations: acceptance,
      metrics,
    }),
    metrics,
    log,
    recordEvent: () => undefined,
    quotaRoom: NO_QUOTA_ROOM,
    endpointNotes: { add: () => undefined },
    planDelivery: () => ({
      key: `${NAMESPACE}/${NAME}`,
      name: DEFAULT_ENDPOINT,
      attemptId: '',
      project: NAMESPACE,
      endpoint: '',
      isWanted: () => true,
      send: () => Promise.reject(new Error('no')),
    }),
  });
}

/** Allows one job, so that a lost reservation blocks the test. */
const LIMITS = { inAll: 1, perBucket: 1, ofProject: () => 1, isHeld: () => false };

/** Forwards changes like the watches. */
function followCaches(
  { zipJobs, jobs }: ControllerWorld,
  { ledger, memory }: { readonly ledger: Ledger; readonly memory: Memory },
  key: string,
): void {
  const zipJob = zipJobs.reflector.get(key);
  const job = jobs.reflector.get(key);
  if (zipJob)
    for (const follower of [ledger, memory])
      follower.see({ kind: 'set', key, object: zipJob, before: undefined });
  else ledger.forget(key);
  holdStarted(ledger, zipJob, job);
}

/**
 * Starts a new process: the real observe, decide and act without memory. Without full reconciles, so the controller must
 * requeue every job that needs a later reconcile.
 */
export function startController(world: ControllerWorld): Reconcile {
  world.delivery = { kind: 'idle' };
  const clock = {
    date: () => world.now,
    monotonicMs: () => world.now.getTime(),
    after: () => ({ [Symbol.dispose]: () => undefined }),
  };
  function wake(ms: number): void {
    world.requeue.add(world.now, ms);
  }
  const ledger = createLedger({
    limits: LIMITS,
    trustedQueues: [],
    pause: { reason: undefined },
    rate: { perSecond: 1, burst: 1000 },
    clock,
    physicalBucket: () => undefined,
    onReserved: () => {
      wake(0);
    },
    onNext: () => {
      wake(0);
    },
  });
  const memory = createMemory((key) => world.zipJobs.reflector.get(key));
  const shared = { memory, ledger, dispatcher: dispatcherOf(world), clock, traces: world.newTraces() };
  const reconcile = createReconcile({
    observe: createObserve({
      ...clientsOf(world),
      ...shared,
      config,
      caches: cachesOf(world),
      events: { list: () => Promise.resolve([]) },
      reportingJobs: { count: 1 },
      limitsIn: () => BUILT_IN_LIMITS,
      surplusJobs: { isSurplus: () => false },
      finishedPods: { isSurplus: () => false },
      quotaRoom: NO_QUOTA_ROOM,
      isNamespaceTerminating: () => Promise.resolve(world.isNamespaceTerminating),
    }),
    controller: ZIPJOB,
    decide: (seen, now) => decide(seen, now, config),
    onGone: createForget(shared),
    act: actWith(clientsOf(world), shared),
    queue: {
      // The controller never needs more than ten consecutive reconciles.
      add: () => {
        throw new Error('the controller keeps requeueing');
      },
      addAfter: (_key, ms) => {
        wake(ms);
      },
      forget: () => undefined,
      cancel: () => undefined,
    },
    clock,
    metrics,
  });
  return (key, signal) => {
    followCaches(world, shared, key);
    return reconcile(key, signal);
  };
}

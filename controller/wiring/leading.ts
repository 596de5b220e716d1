import type { ZipProject } from '#crds/zip-project.ts';
import { type KubeObject, namespaceOf, type ObjectKey, type Reflector } from '#runtime/kube/types.ts';
import type { Lifetime } from '#runtime/process/lifecycle.ts';
import { CHANGING, INDEXES } from '../cluster/caches.ts';
import { createApplyStatus } from '../reconciling/apply-status.ts';
import { createLead, SIDE_WORKERS } from '../reconciling/controller.ts';
import { createEventLane, type EventLane } from '../reconciling/event-lane.ts';
import { createEvents, type EventsOptions } from '../reconciling/events.ts';
import { createFinalizers } from '../reconciling/finalizers.ts';
import { ZIPBUCKET, ZIPJOB, ZIPPROJECT } from '../reconciling/measure-reconcile.ts';
import { createReconcile, type Reconcile } from '../reconciling/reconcile.ts';
import { createPlanDelivery } from '../webhook/next-delivery.ts';
import { createSender, type Sender } from '../webhook/sender.ts';
import { createPlanTest, testKeyOf } from '../webhook/test-event.ts';
import { createActOnBucket } from '../zip-bucket/act.ts';
import { createCountWrites } from '../zip-bucket/count-writes.ts';
import { decideBucket } from '../zip-bucket/decide.ts';
import { createObserveBucket } from '../zip-bucket/observe.ts';
import { createTestPlaces } from '../zip-bucket/test-places.ts';
import { createAct } from '../zip-job/act.ts';
import { decide } from '../zip-job/decide.ts';
import { createForget } from '../zip-job/forget.ts';
import { createObserve } from '../zip-job/observe.ts';
import { acceptance } from '../zip-job/policies/restored.ts';
import { createActOnProject } from '../zip-project/act.ts';
import { decideProject } from '../zip-project/decide.ts';
import { createObserveProject } from '../zip-project/observe.ts';
import { createHistoryTask } from './history-task.ts';
import type { Parts } from './wiring.ts';

/** Waiting jobs that one full reconcile includes, about. */
const WAITING_KEYS = 5000;
/** Characters of a key that decide its part; names end with a uuid. */
const HASHED_CHARACTERS = 8;

function partOf(key: ObjectKey, parts: number): number {
  let hash = 0;
  for (let index = Math.max(0, key.length - HASHED_CHARACTERS); index < key.length; index += 1)
    hash = (Math.imul(hash, 31) + key.charCodeAt(index)) >>> 0;
  return hash % parts;
}

/**
 * The keys for one full reconcile after another. Jobs that wait for a slot do not change by themselves, and the ledger requeues
 * them. Because there may be a hundred thousand, each time has one part of them, and each of them is in one of the next times.
 */
export function createFullReconcileKeys(
  keys: () => Iterable<ObjectKey>,
  isWaiting: (key: ObjectKey) => boolean,
): () => Iterable<ObjectKey> {
  let times = 0;
  let parts = 1;
  return function* () {
    let waiting = 0;
    times += 1;
    const part = times % parts;
    for (const key of keys()) {
      if (!isWaiting(key)) yield key;
      else {
        waiting += 1;
        if (partOf(key, parts) === part) yield key;
      }
    }
    parts = Math.max(1, Math.ceil(waiting / WAITING_KEYS));
  };
}

function createEventLaneOf(
  kind: EventsOptions['kind'],
  { clients, config, clock, log }: Parts,
  resources: Lifetime['resources'],
): EventLane {
  const record = createEvents({ kind, events: clients.events, instance: config.podName, clock, log });
  return resources.use(createEventLane({ record, clock, log }));
}

function createActOnZipJob(parts: Parts, sender: Sender, resources: Lifetime['resources']) {
  const { clients, watches, metrics, traces, config } = parts;
  const { errorHelpUrl } = config;
  function findProject(key: ObjectKey): ZipProject | undefined {
    return watches.caches.projects.get(key);
  }
  const events = createEventLaneOf('ZipJob', parts, resources);
  return createAct({
    ...parts,
    ...clients,
    applyStatus: createApplyStatus('ZipJob', clients.zipJobs),
    finalizers: createFinalizers({
      kind: 'ZipJob',
      client: clients.zipJobs,
      annotations: acceptance,
      metrics,
    }),
    recordEvent: events.add,
    planDelivery: createPlanDelivery({ ...sender, findProject, traces, errorHelpUrl }),
  });
}

function createZipJobReconcile(parts: Parts, sender: Sender, resources: Lifetime['resources']): Reconcile {
  const { clients, watches, currentConfig } = parts;
  return createReconcile({
    ...parts,
    controller: ZIPJOB,
    observe: createObserve({ ...parts, ...clients, caches: watches.caches }),
    decide: (seen, now) => decide(seen, now, currentConfig()),
    act: createActOnZipJob(parts, sender, resources),
    onGone: createForget(parts),
  });
}

function createProjectReconcile(parts: Parts, sender: Sender, resources: Lifetime['resources']): Reconcile {
  const { config, clients, watches, metrics, dispatcher, endpointNotes: notes, children } = parts;
  const purges = parts.history?.purges;
  return createReconcile({
    ...parts,
    controller: ZIPPROJECT,
    queue: parts.projectQueue,
    observe: createObserveProject({ ...parts, caches: watches.caches, notes, purges }),
    decide: (seen, now) => decideProject(seen, now, config),
    act: createActOnProject({
      applyStatus: createApplyStatus('ZipProject', clients.projects),
      finalizers: createFinalizers({ kind: 'ZipProject', client: clients.projects, metrics }),
      children,
      zipJobs: clients.zipJobs,
      notes,
      dispatcher,
      planTest: createPlanTest(sender),
      purges,
      recordEvent: createEventLaneOf('ZipProject', parts, resources).add,
    }),
    onGone: (key) => {
      purges?.forget(key);
      for (const name of dispatcher.endpoints(testKeyOf(key))) dispatcher.acknowledge(testKeyOf(key), name);
      notes.forget(namespaceOf(key));
    },
  });
}

function createBucketReconcile(parts: Parts, resources: Lifetime['resources']): Reconcile {
  const { config, clients, watches, metrics, clock, currentConfig, bucketQueue, quotaRoom } = parts;
  const countWrites = createCountWrites({ perSecond: config.bucketCountWritesPerSecond, clock });
  const testPlaces = createTestPlaces({
    inAll: config.maxBucketTests,
    perProject: config.maxBucketTestsPerProject,
  });
  return createReconcile({
    ...parts,
    controller: ZIPBUCKET,
    queue: bucketQueue,
    observe: createObserveBucket({ ...parts, ...clients, caches: watches.caches }),
    decide: (seen, now) => decideBucket(seen, now, currentConfig()),
    act: createActOnBucket({
      applyStatus: createApplyStatus('ZipBucket', clients.buckets),
      jobs: clients.jobs,
      finalizers: createFinalizers({ kind: 'ZipBucket', client: clients.buckets, metrics }),
      clock,
      countWrites,
      testPlaces,
      quotaRoom,
      recordEvent: createEventLaneOf('ZipBucket', parts, resources).add,
      requeue: (key, ms) => bucketQueue.addAfter(key, ms),
    }),
    onGone: (key) => {
      countWrites.release(key);
      testPlaces.release(key);
    },
  });
}

function keysOf(cache: Pick<Reflector<KubeObject>, 'keys'>) {
  return (): readonly ObjectKey[] => [...cache.keys()];
}

/** The work of the leader: the controllers of ZipJobs, ZipProjects and ZipBuckets. */
export function createLeading(
  parts: Parts,
  { resources }: Pick<Lifetime, 'resources'>,
): (signal: AbortSignal) => Promise<void> {
  const { config, clients, watches, children, clock, trust, queue, projectQueue, bucketQueue, history } =
    parts;
  const { zipJobs, projects, buckets } = watches.caches;
  const sender = createSender({ config, secrets: clients.secrets, clock, trust, resources });
  const ofZipJobs = createZipJobReconcile(parts, sender, resources);
  const ofProjects = createProjectReconcile(parts, sender, resources);
  const ofBuckets = createBucketReconcile(parts, resources);
  function changingKeys(): readonly ObjectKey[] {
    return zipJobs.keysByClusterIndex(INDEXES.changing, CHANGING);
  }
  return createLead({
    controllers: [
      {
        queue,
        reconcile: ofZipJobs,
        workers: config.workers,
        keys: () => [...zipJobs.keys(), ...zipJobs.identityKeys()],
        changingKeys,
        fullReconcileKeys: createFullReconcileKeys(changingKeys, (key) => parts.ledger.isWaiting(key)),
      },
      { queue: projectQueue, reconcile: ofProjects, workers: SIDE_WORKERS, keys: keysOf(projects) },
      { queue: bucketQueue, reconcile: ofBuckets, workers: SIDE_WORKERS, keys: keysOf(buckets) },
    ],
    synced: (signal) => Promise.all([watches.synced(signal), children.synced(signal)]),
    fullReconcileMs: config.fullReconcileSeconds * 1000,
    clock,
    tasks: history ? [createHistoryTask(parts, history, resources)] : [],
  });
}

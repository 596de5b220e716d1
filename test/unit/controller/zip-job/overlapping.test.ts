/** Many jobs, reconciled concurrently by the real observe, decide and act with a slow API server. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { bucketKeyOf, INDEXES, JOB_INDEXES, listOwnersOf, POD_INDEXES } from '#controller/cluster/caches.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { holdStarted } from '#controller/queue/hold-started.ts';
import { createLedger } from '#controller/queue/ledger.ts';
import { createApplyStatus } from '#controller/reconciling/apply-status.ts';
import { createFinalizers } from '#controller/reconciling/finalizers.ts';
import { ZIPJOB } from '#controller/reconciling/measure-reconcile.ts';
import { createReconcile } from '#controller/reconciling/reconcile.ts';
import { createWorkQueue } from '#controller/reconciling/work-queue.ts';
import { createAct } from '#controller/zip-job/act.ts';
import { decide } from '#controller/zip-job/decide.ts';
import { createForget } from '#controller/zip-job/forget.ts';
import { createMemory } from '#controller/zip-job/memory.ts';
import { createObserve } from '#controller/zip-job/observe.ts';
import { acceptance } from '#controller/zip-job/policies/restored.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipCheckpoint } from '#crds/zip-checkpoint.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { Event, Job, Pod, Secret } from '#runtime/kube/resources.ts';
import { type ObjectClient, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import { BUILT_IN_LIMITS } from '#runtime/project-limits/class-settings.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { ago, aZipBucket, aZipJob, aZipProject, NAMESPACE, NOW } from '#test/support/builders/objects.ts';
import { NO_QUOTA_ROOM } from '#test/support/builders/quota-room.ts';
import { createVersionedClient } from '#test/support/builders/versioned-client.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { createRandom, type Random } from '#test/support/random.ts';

const SEEDS = 12;
const JOBS = 24;
const WORKERS = 6;
const MOVES = 4000;
const CALM_AFTER = 400;
const LIMITS = { inAll: 4, perBucket: 3, ofProject: () => 4, isHeld: () => false };
const BUCKETS = ['s3-archive', 's3-other'];

function objectsOf() {
  return {
    zipJobs: createFakeObjects<ZipJob>({
      indexes: { [INDEXES.fileList]: listOwnersOf },
      onChange: (change) => {
        follow.zipJob(change.key, change.kind === 'set' ? change.object : undefined);
      },
    }),
    jobs: createFakeObjects<Job>({
      indexes: JOB_INDEXES,
      onChange: ({ key }) => {
        follow.job(key);
      },
    }),
    pods: createFakeObjects<Pod>({ indexes: POD_INDEXES }),
    buckets: createFakeObjects<ZipBucket>(),
    projects: createFakeObjects<ZipProject>(),
    events: createFakeObjects<Event>(),
    secrets: createFakeObjects<Secret>(),
  };
}

type Objects = ReturnType<typeof objectsOf>;

/** Receives the changes of the caches; replaced in each test. */
const follow = {
  zipJob: (_key: ObjectKey, _object: ZipJob | undefined): void => undefined,
  job: (_key: ObjectKey): void => undefined,
};

function targetOf({ spec }: ZipJob): string {
  return `${spec.bucketRef.name} ${spec.key}`;
}

function mostBy(jobs: readonly ZipJob[], nameOf: (job: ZipJob) => string): number {
  const counts = new Map<string, number>();
  for (const job of jobs) counts.set(nameOf(job), (counts.get(nameOf(job)) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Checks the stored objects, not the state of the controller. */
function expectLimits({ zipJobs, jobs }: Objects): void {
  const names = new Set(jobs.all().map(({ metadata }) => metadata.name));
  const active = zipJobs.all().filter((one) => !isFinished(one) && names.has(one.metadata.name));
  expect(mostBy(active, targetOf), 'one job of a key').to.be.at.most(1);
  expect(active.length, 'jobs in all').to.be.at.most(LIMITS.inAll);
  expect(mostBy(active, bucketKeyOf), 'jobs of a bucket').to.be.at.most(LIMITS.perBucket);
}

/** Every call takes a random number of ticks, and creating a Job may fail in every way. */
function clientsOf(objects: Objects, random: Random, faults: { rate: number }) {
  async function slow<R>(call: () => Promise<R>): Promise<R> {
    for (let turns = random.int(0, 4); turns > 0; turns -= 1) await turn();
    return call();
  }
  const zipJobs = createVersionedClient(
    objects.zipJobs,
    () => undefined,
    () => ago(0),
  );
  async function create(job: Job): Promise<Job | undefined> {
    const fate = random.next() < faults.rate ? random.pick(['quota', 'lost', 'late'] as const) : 'good';
    if (fate === 'quota') throw new KubeError('quota', { attempt: 'POST', code: 'QuotaExceeded' });
    if (fate === 'late') throw new KubeError('no response', { attempt: 'POST', code: 'Timeout' });
    const metadata = { ...job.metadata, creationTimestamp: ago(0) };
    const made = await objects.jobs.client.create({ ...job, metadata });
    expectLimits(objects);
    if (fate === 'lost')
      throw new KubeError('the response was lost', { attempt: 'POST', code: 'Unreachable' });
    return made;
  }
  function read<T extends Job>({ client }: { readonly client: ObjectClient<T> }) {
    return {
      ...client,
      get: (namespace: string, name: string) => slow(() => client.get(namespace, name)),
    };
  }
  return {
    zipJobs: {
      get: (namespace: string, name: string) => slow(() => zipJobs.get(namespace, name)),
      apply: (...call: Parameters<typeof zipJobs.apply>) => slow(() => zipJobs.apply(...call)),
      mergePatch: (...call: Parameters<typeof zipJobs.mergePatch>) => slow(() => zipJobs.mergePatch(...call)),
      delete: zipJobs.delete,
    },
    jobs: { ...read(objects.jobs), create: (job: Job) => slow(() => create(job)) },
    pods: { ...objects.pods.client, list: () => Promise.resolve([]) },
    events: objects.events.client,
    secrets: objects.secrets.client,
    buckets: objects.buckets.client,
    projects: objects.projects.client,
  };
}

function createController(objects: Objects, random: Random, faults: { rate: number }) {
  const clock = createManualClock(NOW);
  const log = pino({ level: 'silent' });
  const metrics = createControllerMetrics(new Registry());
  const queue = createWorkQueue({ log, clock });
  const clients = clientsOf(objects, random, faults);
  const caches = {
    zipJobs: objects.zipJobs.reflector,
    jobs: objects.jobs.reflector,
    pods: objects.pods.reflector,
    buckets: objects.buckets.reflector,
    projects: objects.projects.reflector,
  };
  const ledger = createLedger({
    limits: LIMITS,
    trustedQueues: [],
    pause: { reason: undefined },
    rate: { perSecond: 1000, burst: 1000 },
    clock,
    physicalBucket: () => undefined,
    onReserved: (key) => {
      queue.add(key);
    },
    onNext: (key) => {
      queue.add(key);
    },
  });
  const memory = createMemory((key) => caches.zipJobs.get(key));
  const dispatcher = {
    submit: () => undefined,
    state: () => ({ kind: 'idle' }) as const,
    acknowledge: () => undefined,
    endpoints: () => [],
    waiting: 0,
  };
  const never = { isSurplus: () => false };
  const shared = {
    ...clients,
    memory,
    ledger,
    surplusJobs: never,
    finishedPods: never,
    quotaRoom: NO_QUOTA_ROOM,
    dispatcher,
    clock,
  };
  const config = aConfig();
  const reconcile = createReconcile({
    controller: ZIPJOB,
    observe: createObserve({
      ...shared,
      config,
      caches,
      reportingJobs: { count: 1 },
      limitsIn: () => BUILT_IN_LIMITS,
      isNamespaceTerminating: () => Promise.resolve(false),
    }),
    decide: (seen, now) => decide(seen, now, config),
    act: createAct({
      ...shared,
      config,
      kube: { objectMetadata: undefined },
      checkpoints: NO_CHECKPOINTS,
      applyStatus: createApplyStatus('ZipJob', clients.zipJobs),
      finalizers: createFinalizers({
        kind: 'ZipJob',
        client: clients.zipJobs,
        annotations: acceptance,
        metrics,
      }),
      recordEvent: () => undefined,
      endpointNotes: { add: () => undefined },
      planDelivery: () => {
        throw new Error('no job has a webhook');
      },
      metrics,
      log,
    }),
    onGone: createForget(shared),
    queue,
    clock,
    metrics,
  });
  follow.job = (key) => {
    holdStarted(ledger, caches.zipJobs.get(key), caches.jobs.get(key));
    queue.add(key);
  };
  follow.zipJob = (key, object) => {
    if (object)
      for (const follower of [ledger, memory]) follower.see({ kind: 'set', key, object, before: undefined });
    follow.job(key);
  };
  return { clock, queue, reconcile };
}

/** No job is large enough for one. */
const NO_CHECKPOINTS = createFakeObjects<ZipCheckpoint>().client;

function newJobs(random: Random): readonly ZipJob[] {
  return Array.from({ length: JOBS }, (_, n) =>
    aZipJob({
      metadata: {
        name: `zip-${n}`,
        uid: `uid-${n}`,
        creationTimestamp: ago(random.int(0, 5)),
        annotations: {},
      },
      spec: { bucketRef: { name: random.pick(BUCKETS) }, key: `k${random.int(0, 4)}` },
    }),
  );
}

function finishOne({ zipJobs, jobs }: Objects, random: Random): void {
  const running = zipJobs.all().filter(({ status }) => status?.phase === 'Starting');
  if (running.length === 0) return;
  const one = random.pick(running);
  zipJobs.put({ ...one, status: finishedAs('Succeeded'), metadata: { ...one.metadata, finalizers: [] } });
  jobs.remove(NAMESPACE, one.metadata.name);
}

function suspendOne({ zipJobs }: Objects, random: Random, suspend: boolean): void {
  const one = random.pick(zipJobs.all());
  if (!isFinished(one)) zipJobs.put({ ...one, spec: { ...one.spec, suspend } });
}

/** One step of everything except the controller. With `isCalm`, nothing fails, lags or is suspended. */
async function move(objects: Objects, random: Random, isCalm: boolean): Promise<void> {
  objects.jobs.lagging = !isCalm && random.next() < 0.3;
  if (!objects.jobs.lagging) {
    objects.jobs.catchUp();
    for (const job of objects.jobs.all()) follow.job(objectKey(job));
  }
  if (isCalm || random.next() < 0.2) suspendOne(objects, random, !isCalm && random.next() < 0.5);
  if (random.next() < 0.3) finishOne(objects, random);
  for (let turns = random.int(1, 6); turns > 0; turns -= 1) await turn();
}

async function play(seed: number): Promise<void> {
  const random = createRandom(seed);
  const faults = { rate: 0.3 };
  const objects = objectsOf();
  const { clock, queue, reconcile } = createController(objects, random, faults);
  objects.projects.put(aZipProject());
  for (const name of BUCKETS)
    objects.buckets.put({ ...aZipBucket(), metadata: { ...aZipBucket().metadata, name } });
  const stop = new AbortController();
  const running = queue.run(reconcile, { workers: WORKERS, signal: stop.signal });
  function unfinished() {
    return objects.zipJobs.all().filter((one) => !isFinished(one));
  }
  const waiting = [...newJobs(random)];
  for (let moves = 0; moves < MOVES && waiting.length + unfinished().length > 0; moves += 1) {
    const next = waiting.pop();
    if (next) objects.zipJobs.put(next);
    const isCalm = moves > CALM_AFTER;
    if (isCalm) faults.rate = 0;
    await move(objects, random, isCalm);
    if (moves % 5 === 0) await clock.advance(500);
    expectLimits(objects);
  }
  stop.abort();
  await running;
  const left = unfinished().map(({ metadata, status }) => [metadata.name, status?.reason]);
  expect(left).to.deep.equal([]);
}

describe('concurrent reconciles of many jobs', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1)
    it(`exceed no limit, never run two jobs of a key, and finish every job: seed ${seed} (F22)`, async function () {
      this.timeout(60_000);
      await play(seed);
    });
});

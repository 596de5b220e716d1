/**
 * Rows G4, G5 and G6: simulated zippers on a local cluster. All counts come from watches of the API server, so they are what it
 * had to store.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { type Followed, followObjects } from '#test/support/clients/follow-objects.ts';
import { adminApi, leadingPod } from '#test/support/processes/controller-pods.ts';
import { memoryOf } from '#test/support/processes/process-memory.ts';
import { until } from '#test/support/until.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import { quantile } from '../rates.ts';
import { measureFairness } from './measure-fairness.ts';
import {
  type Budgets,
  bucketName,
  budgetsOf,
  collectionOf,
  createBuckets,
  createJob,
  createJobs,
  createProjects,
  installScale,
  RUNNING,
  type ScaleSize,
} from './scale-world.ts';
import { createSimulatedZippers, type SimulatedZippers, type ZipperServer } from './simulated-zippers.ts';

export interface ScaleFigure {
  readonly case: 'scale';
  readonly row: 'G4' | 'G5' | 'G6';
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: string;
}

const LIMIT_MS = 3_600_000;
/** Jobs whose end is measured, at most. */
const ENDS = 20;
const LONE_MS = 9_000;

interface SeenJob {
  readonly atMs: number;
  readonly name: string;
  readonly bytes: number;
  readonly updatedAt: string | undefined;
  readonly everySeconds: number | undefined;
  readonly isOver: boolean;
}

interface SeenBucket {
  readonly atMs: number;
  readonly name: string;
  readonly activeJobs: number | undefined;
}

interface World {
  readonly api: KubeApi;
  readonly size: ScaleSize;
  readonly budgets: Budgets;
  readonly zippers: SimulatedZippers;
  readonly jobs: Followed<SeenJob>;
  readonly buckets: Followed<SeenBucket>;
  readonly log: (line: string) => void;
}

function figure(
  row: ScaleFigure['row'],
  what: string,
  [value, unit, target]: readonly [number, string, string?],
): ScaleFigure {
  return {
    case: 'scale',
    row,
    what,
    value: Number(value.toFixed(2)),
    unit,
    ...(target !== undefined && { target }),
  };
}

/** The events in which the progress of a job changed. */
function progressWrites(events: Followed<SeenJob>['events']): readonly SeenJob[] {
  const last = new Map<string, string | undefined>();
  return events.flatMap(({ object }) => {
    const before = last.get(object.name);
    last.set(object.name, object.updatedAt);
    return object.updatedAt !== undefined && before !== object.updatedAt ? [object] : [];
  });
}

async function loneJob({ api, jobs, log }: World): Promise<ScaleFigure> {
  log('scale: one running job');
  await createJob({ namespace: RUNNING, name: 'lone', bucket: bucketName(0) }, api);
  await until('progress of the job', () => progressWrites(jobs.events).length > 1, { limitMs: 120_000 });
  await delay(LONE_MS);
  const times = progressWrites(jobs.events).map(({ atMs }) => atMs);
  const gaps = times.slice(2).map((atMs, index) => (atMs - (times[index + 1] ?? 0)) / 1000);
  return figure('G5', 'a lone job: seconds between two writes', [quantile(gaps, 0.5), 's', '2']);
}

async function runningJobs(world: World): Promise<readonly ScaleFigure[]> {
  const { api, jobs, zippers, size, budgets, log } = world;
  log(`scale: ${size.running} running jobs in ${size.buckets} buckets`);
  function jobAt(index: number) {
    return {
      namespace: RUNNING,
      name: `run-${index}`,
      bucket: bucketName(index % size.buckets),
    };
  }
  await createJobs(api, size.running - 1, jobAt);
  await until('all jobs to run', () => zippers.running >= size.running, {
    limitMs: LIMIT_MS,
    intervalMs: 500,
  });
  function interval(): number {
    return Math.max(...jobs.events.slice(-size.running).map(({ object }) => object.everySeconds ?? 2));
  }
  const slowestMs = interval() * 1000;
  log(`scale: waiting for an interval of ${slowestMs / 1000} s`);
  await delay(slowestMs);
  const first = jobs.events.length;
  const windowMs = 2 * slowestMs;
  await delay(windowMs);
  const known = progressWrites(jobs.events.slice(0, first)).length;
  const written = progressWrites(jobs.events).slice(known);
  const bytes = written.reduce((sum, one) => sum + one.bytes, 0);
  function perSecond(value: number): number {
    return (value * 1000) / windowMs;
  }
  return [
    figure('G5', 'running jobs', [size.running, 'jobs']),
    figure('G5', 'largest interval of progress', [slowestMs / 1000, 's']),
    figure('G5', 'progress writes', [
      perSecond(written.length),
      'per second',
      `<= ${budgets.progressWrites} (${Math.round(size.running / 2)} at 2 s)`,
    ]),
    figure('G5', 'bytes of progress writes', [perSecond(bytes), 'per second', `<= ${budgets.progressBytes}`]),
    figure('G5', 'bytes of a ZipJob with managed fields', [bytes / Math.max(1, written.length), 'bytes']),
  ];
}

async function ends({ jobs, zippers, size, log }: World): Promise<ScaleFigure> {
  log('scale: ends');
  const times: number[] = [];
  for (let index = 0; index < Math.min(ENDS, size.running - 1); index += 1) {
    const name = `run-${index}`;
    const startedAt = performance.now();
    await zippers.finish(name);
    function isOver(): boolean {
      return jobs.events.some(({ object }) => object.name === name && object.isOver);
    }
    await until(`the end of ${name}`, isOver, { limitMs: 60_000, intervalMs: 20 });
    times.push(performance.now() - startedAt);
  }
  return figure('G5', 'result to Succeeded beside them, p99', [quantile(times, 0.99), 'ms']);
}

async function bucketCounts({ api, buckets, budgets, size }: World): Promise<readonly ScaleFigure[]> {
  const times = buckets.events.map(({ object }) => object.atMs);
  const most = Math.max(0, ...times.map((atMs, index) => countUntil(times, index, atMs + 1000)));
  async function wrong(): Promise<number> {
    const [{ items: zipJobs }, { items }] = await Promise.all([
      api.get<{ items: ZipJob[] }>(collectionOf('ZipJob', RUNNING)),
      api.get<{ items: ZipBucket[] }>(collectionOf('ZipBucket', RUNNING)),
    ]);
    const counts = new Map<string, number>();
    for (const zipJob of zipJobs.filter((one) => !isFinished(one)))
      counts.set(zipJob.spec.bucketRef.name, (counts.get(zipJob.spec.bucketRef.name) ?? 0) + 1);
    return items.filter((one) => (one.status?.activeJobs ?? 0) !== (counts.get(one.metadata.name) ?? 0))
      .length;
  }
  const limitMs = 60_000 + (size.buckets / budgets.countWrites) * 2000;
  await until('every count to be right', async () => (await wrong()) === 0, { limitMs, intervalMs: 1000 });
  return [
    figure('G6', 'busy buckets', [size.buckets, 'buckets']),
    figure('G6', 'most writes of counts within a second', [
      most,
      'writes',
      `<= ${budgets.countWrites} and one`,
    ]),
    figure('G6', 'writes of counts in all', [buckets.events.length, 'writes']),
    figure('G6', 'wrong counts in the end', [await wrong(), 'buckets', '0']),
  ];
}

function countUntil(times: readonly number[], from: number, endMs: number): number {
  let end = from;
  while ((times[end] ?? Infinity) < endMs) end += 1;
  return end - from;
}

function followJobs(api: KubeApi, onActive: (zipJob: ZipJob) => void): Promise<Followed<SeenJob>> {
  return followObjects(api, collectionOf('ZipJob', RUNNING), (zipJob: ZipJob) => {
    if (zipJob.status?.job?.podUid !== undefined && !isFinished(zipJob)) onActive(zipJob);
    return {
      atMs: performance.now(),
      name: zipJob.metadata.name,
      bytes: Buffer.byteLength(JSON.stringify(zipJob)),
      updatedAt: zipJob.status?.progress?.updatedAt,
      everySeconds: zipJob.status?.progressIntervalSeconds,
      isOver: isFinished(zipJob),
    };
  });
}

async function zipperServerOf({ dir, apiServer: { url, ca } }: Cluster): Promise<ZipperServer> {
  function file(name: string): Promise<string> {
    return readFile(join(dir, 'certificates', name), 'utf8');
  }
  const [cert, key] = await Promise.all([file('admin.crt'), file('admin.key')]);
  return { url, ca, cert, key };
}

/** A controller that exceeds its limit is killed and starts again, so its restarts count too. */
async function controllerMemory(cluster: Cluster, api: KubeApi): Promise<readonly ScaleFigure[]> {
  const { namespace, name, containers } = await leadingPod(cluster, api);
  const { peak } = await memoryOf(containers[0]?.pid ?? 0);
  const { status } = await api.get<Pod>(`/api/v1/namespaces/${namespace}/pods/${name}`);
  const restarts = status?.containerStatuses?.[0]?.restartCount ?? 0;
  return [
    figure('G4', 'controller, peak resident', [peak / 1024 / 1024, 'MiB', '<= 512']),
    figure('G4', 'controller, restarts', [restarts, 'restarts', '0']),
  ];
}

export interface ScaleRun {
  readonly cluster: Cluster;
  readonly size: ScaleSize;
  readonly log: (line: string) => void;
  /** Called for each figure once it is measured: a large run takes an hour. */
  readonly report: (figure: ScaleFigure) => void;
}

export async function measureScale({ cluster, size, log, report }: ScaleRun): Promise<void> {
  await using life = new AsyncDisposableStack();
  const api = life.use(await adminApi(cluster));
  const budgets = budgetsOf(size);
  await installScale(cluster, budgets);
  for (const project of await createProjects(cluster)) life.use(project);
  const zippers = life.use(createSimulatedZippers(await zipperServerOf(cluster)));
  await createBuckets(api, size.buckets);
  const failures: unknown[] = [];
  const jobs = life.use(
    await followJobs(api, (zipJob) => {
      zippers.start(zipJob).catch((error: unknown) => failures.push(error));
    }),
  );
  const buckets = life.use(
    await followObjects(api, collectionOf('ZipBucket', RUNNING), ({ metadata, status }: ZipBucket) => ({
      atMs: performance.now(),
      name: metadata.name,
      activeJobs: status?.activeJobs,
    })),
  );
  const world = { api, size, budgets, zippers, jobs, buckets, log };
  report(await loneJob(world));
  for (const one of await runningJobs(world)) report(one);
  report(await ends(world));
  for (const one of await bucketCounts(world)) report(one);
  if (failures.length > 0) throw new Error(`${failures.length} zippers failed`, { cause: failures[0] });
  if (size.queued > 0)
    for (const [what, ...value] of await measureFairness({ api, queued: size.queued, log }))
      report(figure('G4', what, value));
  for (const one of await controllerMemory(cluster, api)) report(one);
}

/** Running jobs of the full size. */
export const SCALE_JOBS = 5000;

/** Five running jobs for each bucket, and by default twenty queued ones for each running one. */
export function sizeOf(running: number, queued = 20 * running): ScaleSize {
  return {
    running,
    buckets: Math.ceil(running / 5),
    queued,
  };
}

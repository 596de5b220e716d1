/** Row G4: a project with a long queue, and a small one while slots are free. */
import { bucketResourceName, PLURALS } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { followObjects } from '#test/support/clients/follow-objects.ts';
import { until } from '#test/support/until.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import { atRate, quantile } from '../rates.ts';
import { collectionOf, createJob, createJobs, LARGE, SMALL } from './scale-world.ts';

export interface FairnessOptions {
  readonly api: KubeApi;
  readonly queued: number;
  readonly log: (line: string) => void;
}

/** What, value, unit and target. */
export type FairnessFigure = readonly [string, number, string, string?];

const SMALL_JOBS = 100;
const PER_SECOND = 5;
const LIMIT_MS = 3_600_000;

interface Named {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
}

function seenAt({ metadata }: Named) {
  return { name: metadata.name, atMs: performance.now() };
}

/** The bucket that every project has. */
async function ownBucket(api: KubeApi, namespace: string): Promise<string> {
  const { items } = await api.get<{ items: ZipBucket[] }>(collectionOf('ZipBucket', namespace));
  return items[0]?.metadata.name ?? bucketResourceName('s3', '');
}

/** Creates the queue. The function that it returns waits until the status of each job says why it waits. */
async function fillQueue({ api, queued, log }: FairnessOptions, life: DisposableStack) {
  log(`scale: ${queued} queued jobs`);
  const bucket = await ownBucket(api, LARGE);
  const waiting = new Set<string>();
  life.use(
    await followObjects(api, collectionOf('ZipJob', LARGE), ({ metadata, status }: ZipJob) => {
      if (status?.phase !== undefined) waiting.add(metadata.name);
    }),
  );
  await createJobs(api, queued, (index) => ({ namespace: LARGE, name: `queued-${index}`, bucket }));
  log(`scale: ${queued} jobs were created, ${waiting.size} of them have a status`);
  return () =>
    until('every job to be queued', () => waiting.size >= queued, { limitMs: LIMIT_MS, intervalMs: 500 });
}

/** Milliseconds from ZipJob to Job of each job of the small project. */
async function waitsOf({ api, log }: Omit<FairnessOptions, 'queued'>, prefix: string) {
  log(`scale: ${SMALL_JOBS} jobs of another project, ${PER_SECOND} a second`);
  const bucket = await ownBucket(api, SMALL);
  using zipJobs = await followObjects(api, collectionOf('ZipJob', SMALL), seenAt);
  using jobs = await followObjects(api, `/apis/batch/v1/namespaces/${SMALL}/jobs`, seenAt);
  await atRate({ count: SMALL_JOBS, perSecond: PER_SECOND }, async (index) => {
    await createJob({ namespace: SMALL, name: `${prefix}-${index}`, bucket }, api);
  });
  function firstSeen({ events }: typeof jobs): ReadonlyMap<string, number> {
    return new Map(
      events.flatMap(({ type, object }) =>
        type === 'ADDED' && object.name.startsWith(`${prefix}-`) ? [[object.name, object.atMs] as const] : [],
      ),
    );
  }
  await until('every job to have its Job', () => firstSeen(jobs).size >= SMALL_JOBS, { limitMs: 300_000 });
  const created = firstSeen(jobs);
  return [...firstSeen(zipJobs)].map(([name, atMs]) => Math.max(0, (created.get(name) ?? Infinity) - atMs));
}

export async function measureFairness(options: FairnessOptions): Promise<readonly FairnessFigure[]> {
  using life = new DisposableStack();
  const untilQueued = await fillQueue(options, life);
  const behind = await waitsOf(options, 'early');
  await untilQueued();
  const atRest = await waitsOf(options, 'late');
  function figures(when: string, waits: readonly number[]): readonly FairnessFigure[] {
    return [
      [`small project ${when}: ZipJob seen to Job created, p50`, quantile(waits, 0.5), 'ms'],
      [`small project ${when}: ZipJob seen to Job created, p99`, quantile(waits, 0.99), 'ms', '<= 1000'],
    ];
  }
  return [
    ['queued jobs of the large project', options.queued, PLURALS.ZipJob],
    ...figures('while the queue gets its statuses', behind),
    ...figures('with all jobs queued', atRest),
  ];
}

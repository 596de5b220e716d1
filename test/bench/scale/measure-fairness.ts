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
const seenAt = ({ metadata }: Named) => ({ name: metadata.name, atMs: performance.now() });

/** The bucket that every project has. */
const ownBucket = async (api: KubeApi, namespace: string): Promise<string> => {
  const { items } = await api.get<{ items: ZipBucket[] }>(collectionOf('ZipBucket', namespace));
  return items[0]?.metadata.name ?? bucketResourceName('s3', '');
};

/** Creates the queue and waits until the status of each job says why it waits. */
const fillQueue = async ({ api, queued, log }: FairnessOptions): Promise<void> => {
  log(`scale: ${queued} queued jobs`);
  const bucket = await ownBucket(api, LARGE);
  const waiting = new Set<string>();
  using _jobs = await followObjects(api, collectionOf('ZipJob', LARGE), ({ metadata, status }: ZipJob) => {
    if (status?.phase !== undefined) waiting.add(metadata.name);
  });
  await createJobs(api, queued, (index) => ({ namespace: LARGE, name: `queued-${index}`, bucket }));
  await until('every job to be queued', () => waiting.size >= queued, { limitMs: LIMIT_MS, intervalMs: 500 });
};

export const measureFairness = async (options: FairnessOptions): Promise<readonly FairnessFigure[]> => {
  const { api, queued, log } = options;
  await fillQueue(options);
  log(`scale: ${SMALL_JOBS} jobs of another project, ${PER_SECOND} a second`);
  const bucket = await ownBucket(api, SMALL);
  using zipJobs = await followObjects(api, collectionOf('ZipJob', SMALL), seenAt);
  using jobs = await followObjects(api, `/apis/batch/v1/namespaces/${SMALL}/jobs`, seenAt);
  await atRate({ count: SMALL_JOBS, perSecond: PER_SECOND }, async (index) => {
    await createJob({ namespace: SMALL, name: `small-${index}`, bucket }, api);
  });
  const firstSeen = ({ events }: typeof jobs): ReadonlyMap<string, number> =>
    new Map(
      events.flatMap(({ type, object }) => (type === 'ADDED' ? [[object.name, object.atMs] as const] : [])),
    );
  await until('every job to have its Job', () => firstSeen(jobs).size >= SMALL_JOBS, { limitMs: 300_000 });
  const created = firstSeen(jobs);
  const waits = [...firstSeen(zipJobs)].map(([name, atMs]) =>
    Math.max(0, (created.get(name) ?? Infinity) - atMs),
  );
  return [
    ['queued jobs of the large project', queued, PLURALS.ZipJob],
    ['small project: ZipJob seen to Job created, p50', quantile(waits, 0.5), 'ms'],
    ['small project: ZipJob seen to Job created, p99', quantile(waits, 0.99), 'ms', '<= 1000'],
  ];
};

/** The release, the projects and the objects of the case `scale`. */

import { bucketResourceName, FINALIZER, GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';

/** Running jobs, buckets that they use, and queued jobs of the large project; 0 leaves its row out. */
export interface ScaleSize {
  readonly running: number;
  readonly buckets: number;
  readonly queued: number;
}

export interface Budgets {
  readonly progressWrites: number;
  readonly progressBytes: number;
  readonly countWrites: number;
}

export const RUNNING = 'scale-running';
export const LARGE = 'scale-large';
export const SMALL = 'scale-small';
/** Running jobs of the large project. */
const LARGE_SLOTS = 50;
const AT_ONCE = 32;
const NO_LIMIT = 1_000_000;

/** Smaller runs have smaller budgets, so that zippers have to adapt at any size. */
export function budgetsOf({ running, buckets }: ScaleSize): Budgets {
  return {
    progressWrites: Math.min(50, Math.max(1, Math.floor(running / 6))),
    progressBytes: 1_048_576,
    countWrites: Math.min(20, Math.max(1, Math.floor(buckets / 10))),
  };
}

export function collectionOf(kind: 'ZipJob' | 'ZipBucket', namespace: string): string {
  return `/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS[kind]}`;
}

/** Pods stay unscheduled: no node has the label. */
export function installScale(cluster: Cluster, budgets: Budgets): Promise<unknown> {
  return installChart(cluster, {
    api: { replicas: 0 },
    zipper: { podTemplate: { spec: { nodeSelector: { 'zipjobs.dev/simulated': 'yes' } } } },
    projectClasses: { default: { activeJobs: NO_LIMIT, storedJobs: NO_LIMIT, storedBytes: 2 ** 40 } },
    controller: {
      replicas: 1,
      nodeOptions: '--max-semi-space-size=4 --max-old-space-size=384',
      podTemplate: {
        metadata: { annotations: { 'zipjobs.dev/test-run': 'scale' } },
        ...unsupportedPod('controller', { BUCKET_COUNT_WRITES_PER_SECOND: budgets.countWrites }),
      },
      settings: {
        MAX_ACTIVE_JOBS: NO_LIMIT,
        MAX_ACTIVE_JOBS_PER_BUCKET: NO_LIMIT,
        PROGRESS_WRITES_PER_SECOND: budgets.progressWrites,
        PROGRESS_BYTES_PER_SECOND: budgets.progressBytes,
      },
    },
  });
}

export async function createProjects(cluster: Cluster): Promise<readonly Project[]> {
  return [
    await createProject(cluster, { namespace: RUNNING }),
    await createProject(cluster, { namespace: LARGE, limits: { activeJobs: LARGE_SLOTS } }),
    await createProject(cluster, { namespace: SMALL }),
  ];
}

export function bucketName(index: number): string {
  return bucketResourceName('s3', `scale-${index}`);
}

export function createBuckets(api: KubeApi, count: number): Promise<void> {
  return inParallel(count, AT_ONCE, async (index) => {
    await api.create(collectionOf('ZipBucket', RUNNING), {
      apiVersion: GROUP_VERSION,
      kind: 'ZipBucket',
      metadata: { namespace: RUNNING, name: bucketName(index), finalizers: [FINALIZER] },
      spec: {
        service: 's3',
        bucketName: `scale-${index}`,
        region: 'us-east-1',
        endpoint: 'http://127.0.0.1:1',
      },
    });
  });
}

export interface NewJob {
  readonly namespace: string;
  readonly name: string;
  readonly bucket: string;
}

/** With the finalizer, like the API. */
export function createJob({ namespace, name, bucket }: NewJob, api: KubeApi): Promise<unknown> {
  return api.create(collectionOf('ZipJob', namespace), {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: { namespace, name, finalizers: [FINALIZER] },
    spec: {
      bucketRef: { name: bucket },
      key: `${name}.zip`,
      files: [{ url: 'https://example.test/a', filename: 'a' }],
      startDeadlineSeconds: 7200,
      activeDeadlineSeconds: 14_400,
    },
  });
}

export function createJobs(api: KubeApi, count: number, jobAt: (index: number) => NewJob): Promise<void> {
  return inParallel(count, AT_ONCE, async (index) => {
    await createJob(jobAt(index), api);
  });
}

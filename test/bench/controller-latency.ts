/**
 * How long a ZipJob waits for its Job while fifty arrive per second, compared with creating a Job on the same
 * API server.
 */
import { bucketResourceName, FINALIZER, GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import { followObjects } from '#test/support/clients/follow-objects.ts';
import { adminApi } from '#test/support/processes/controller-pods.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import { atRate, quantile } from './rates.ts';

export interface ControllerLatency {
  readonly case: 'controller';
  /** `zipjobs`: from the watch event of the ZipJob to that of its Job. `bare create`: one POST of a Job. */
  readonly contender: 'zipjobs' | 'bare create';
  readonly jobs: number;
  readonly per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

const PER_SECOND = 50;
const NAMESPACE = 'bench';
const ZIP_JOBS = `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/${PLURALS.ZipJob}`;
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
/** Jobs are created suspended, so that no pods start and use the processors that this measures. */
const QUEUE = 'bench';
/** Newly started programs are slower; these two run for months. */
const WARM_UP_SECONDS = 2;

/** With the finalizer, like the API. */
function aZipJob(name: string, project: Project): object {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: { namespace: NAMESPACE, name, finalizers: [FINALIZER] },
    spec: {
      bucketRef: { name: bucketResourceName('s3', project.bucketName) },
      key: `${name}.zip`,
      queueName: QUEUE,
      files: [{ url: 'https://example.test/a', filename: 'a' }],
    },
  };
}

function aJob(name: string): object {
  const container = { name: 'main', image: 'none' };
  const spec = { restartPolicy: 'Never', containers: [container] };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: NAMESPACE, name },
    spec: { suspend: true, backoffLimit: 0, podReplacementPolicy: 'Failed', template: { spec } },
  };
}

function latencyOf(contender: ControllerLatency['contender'], times: readonly number[]): ControllerLatency {
  return {
    case: 'controller',
    contender,
    jobs: times.length,
    per_second: PER_SECOND,
    p50_ms: Number(quantile(times, 0.5).toFixed(1)),
    p99_ms: Number(quantile(times, 0.99).toFixed(1)),
  };
}

async function bareCreates(api: KubeApi, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  await atRate({ count, perSecond: PER_SECOND }, async (index) => {
    const startedAt = performance.now();
    await api.create(JOBS, aJob(`bare-${index}`));
    times.push(performance.now() - startedAt);
  });
  return times;
}

async function seenToCreated(
  api: KubeApi,
  project: Project,
  { prefix, count }: { readonly prefix: string; readonly count: number },
): Promise<readonly number[]> {
  function nameAt({
    metadata,
  }: {
    readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  }) {
    return {
      name: metadata.name,
      atMs: performance.now(),
    };
  }
  using zipJobs = await followObjects(api, ZIP_JOBS, nameAt);
  using jobs = await followObjects(api, JOBS, nameAt);
  await atRate({ count, perSecond: PER_SECOND }, async (index) => {
    await api.create(ZIP_JOBS, aZipJob(`${prefix}-${index}`, project));
  });
  function firstSeen({ events }: typeof jobs): ReadonlyMap<string, number> {
    return new Map(
      events.flatMap(({ type, object }) => (type === 'ADDED' ? [[object.name, object.atMs] as const] : [])),
    );
  }
  await until('every ZipJob to have its Job', () => firstSeen(jobs).size >= count, {
    limitMs: 300_000,
  });
  const created = firstSeen(jobs);
  return [...firstSeen(zipJobs)].map(([name, atMs]) => (created.get(name) ?? Infinity) - atMs);
}

function install(cluster: Cluster): Promise<unknown> {
  return installChart(cluster, {
    api: { replicas: 0 },
    projectClasses: { default: { activeJobs: 100_000, storedJobs: 1_000_000 } },
    controller: {
      replicas: 1,
      settings: {
        TRUSTED_QUEUES: [QUEUE],
        MAX_ACTIVE_JOBS: 100_000,
        MAX_ACTIVE_JOBS_PER_BUCKET: 100_000,
      },
    },
  });
}

/** Runs on a local cluster of its own; the Jobs of the warm-up do not count. */
export async function measureController(
  seconds: number,
  log: (line: string) => void,
): Promise<readonly ControllerLatency[]> {
  log('controller: starting a cluster');
  await using cluster = await startCluster({ log });
  await using api = await adminApi(cluster);
  await install(cluster);
  using project = await createProject(cluster, { namespace: NAMESPACE });
  await seenToCreated(api, project, { prefix: 'warm-up', count: WARM_UP_SECONDS * PER_SECOND });
  const count = seconds * PER_SECOND;
  log(`controller: ${count} ZipJobs, ${PER_SECOND} a second`);
  const ours = latencyOf('zipjobs', await seenToCreated(api, project, { prefix: 'job', count }));
  log(`controller: ${count} bare Jobs, ${PER_SECOND} a second`);
  return [ours, latencyOf('bare create', await bareCreates(api, count))];
}

/** Ten thousand ZipJobs that ended: what they cost the processes that hold them in a cache. */
import { expect } from 'chai';
import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import type { Cluster } from '../cluster/cluster-types.ts';
import type { KubeApi } from '../cluster/kube-api.ts';
import { adminApi, componentPods, leadingPod, metricOf, metricsOf } from '../support/controller-pods.ts';
import { inParallel } from '../support/in-parallel.ts';
import { installChart } from '../support/installation.ts';
import { memoryOf } from '../support/process-memory.ts';
import { createProject, type Project } from '../support/project.ts';
import { sharedCluster } from '../support/shared-cluster.ts';
import { resetInstallation } from '../support/shared-installation.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const JOBS = 10_000;
const JOB_BYTES = 2048;
const BAR_BYTES = 200 * MIB;
const NAMESPACE = 'finished';
const FULL_PASS_SECONDS = 5;
const PATH = `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/${PLURALS.ZipJob}`;
/** Of a restart, from the start of the process until it has every object and leads. */
const READY_LIMIT_MS = 10_000;

const finishedStatus = (name: string, now: string) => ({
  phase: 'Succeeded',
  reason: 'Succeeded',
  acceptedAt: now,
  startedAt: now,
  finishedAt: now,
  attemptsTotal: 1,
  job: { name, uid: '6f1c0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c' },
  result: {
    contractVersion: 1,
    bytes: 123_456,
    entries: 1,
    etag: '"0123456789abcdef0123456789abcdef-1"',
    retries: 0,
    peakMemory: 134_217_728,
    seconds: 1,
  },
  conditions: ['Accepted', 'JobCreated', 'Succeeded'].map((type) => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: now,
  })),
});

const aFinishedJob = (index: number) => {
  const name = `job-${index}`;
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const job = {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: { namespace: NAMESPACE, name },
    spec: {
      bucketRef: { name: `s3-${NAMESPACE}-archives` },
      key: `archives/${index}.zip`,
      files: [{ url: `https://example.test/${index}`, filename: 'a' }],
      metadata: '',
    },
    status: finishedStatus(name, now),
  };
  const padding = 'x'.repeat(JOB_BYTES - JSON.stringify(job).length - 20);
  return { ...job, spec: { ...job.spec, metadata: JSON.stringify({ padding }) } };
};

const createFinishedJobs = (api: KubeApi): Promise<void> =>
  inParallel(JOBS, 32, async (index) => {
    const job = aFinishedJob(index);
    const { metadata } = await api.create<{ metadata: unknown }>(PATH, job);
    await api.replace(`${PATH}/${job.metadata.name}/status`, { ...job, metadata });
  });

const withControllers = (cluster: Cluster, replicas: number, run: string): Promise<unknown> =>
  installChart(cluster, {
    controller: {
      replicas,
      podAnnotations: { 'zipjobs.dev/test-run': run },
      settings: { FULL_PASS_SECONDS },
    },
  });

/** Writes of whomever to what jobs are made of, as the API server counted them. */
const writesSeen = async (cluster: Cluster): Promise<number> => {
  const { stdout } = await cluster.kubectl(['get', '--raw', '/metrics']);
  const resources = ['zipjobs', 'zipbuckets', 'zipprojects', 'jobs', 'secrets'];
  const verbs = ['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE'];
  const writes = stdout
    .split('\n')
    .filter((line) => line.startsWith('apiserver_request_total{'))
    .filter((line) => verbs.some((verb) => line.includes(`verb="${verb}"`)))
    .filter((line) => resources.some((resource) => line.includes(`resource="${resource}"`)));
  return metricOf(writes.join('\n'), 'apiserver_request_total');
};

describe('with 10,000 finished ZipJobs', function () {
  this.timeout(600_000);
  let cluster: Cluster;
  let api: KubeApi & AsyncDisposable;
  let project: Project;

  before(async () => {
    cluster = await sharedCluster();
    api = await adminApi(cluster);
    await withControllers(cluster, 1, 'before');
    project = await createProject(cluster, { namespace: NAMESPACE });
    await withControllers(cluster, 0, 'before');
    await createFinishedJobs(api);
  });
  after(async () => {
    await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    project[Symbol.dispose]();
    await api[Symbol.asyncDispose]();
    await resetInstallation();
  });

  /** Calls of the controller that write, as it counted them; a PUT renews the lease. */
  const writesSent = async (): Promise<number> => {
    const text = await metricsOf(api, await leadingPod(cluster, api));
    return ['POST', 'PATCH', 'DELETE']
      .map((method) => metricOf(text, 'rest_client_requests_total', `method="${method}"`))
      .reduce((sum, calls) => sum + calls, 0);
  };

  const workedOn = async (): Promise<number> =>
    metricOf(
      await metricsOf(api, await leadingPod(cluster, api)),
      'workqueue_work_duration_seconds_count',
      'name="zipjob"',
    );

  it('a controller that starts is ready and leads within 10 s, below 200 MiB', async () => {
    await withControllers(cluster, 1, 'after');
    const pod = await leadingPod(cluster, api);
    const startedAt = pod.containers[0]?.startedAt.getTime() ?? 0;
    const { status } = await api.get<{
      status: { conditions: { type: string; lastTransitionTime: string }[] };
    }>(`/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`);
    const ready = status.conditions.find(({ type }) => type === 'Ready');
    const readyMs = Date.parse(ready?.lastTransitionTime ?? '') - startedAt;
    await until('every job to have been looked at', async () => (await workedOn()) >= JOBS);
    const { peak } = await memoryOf(pod.containers[0]?.pid ?? 0);
    console.log(
      `      ready ${readyMs} ms after the start of the process, peak ${(peak / MIB).toFixed(0)} MiB`,
    );
    expect(readyMs).to.be.lessThan(READY_LIMIT_MS);
    expect(peak).to.be.greaterThan(0).and.lessThan(BAR_BYTES);
  });

  it('full passes over all of them write nothing and keep the memory below 200 MiB', async () => {
    const before = [await writesSent(), await writesSeen(cluster)];
    const passes = await workedOn();
    await until('three full passes', async () => (await workedOn()) >= passes + 3 * JOBS, {
      limitMs: 60_000,
      intervalMs: 250,
    });
    expect([await writesSent(), await writesSeen(cluster)], 'writes').to.deep.equal(before);
    const pod = await leadingPod(cluster, api);
    const { resident, peak } = await memoryOf(pod.containers[0]?.pid ?? 0);
    console.log(`      resident ${(resident / MIB).toFixed(0)} MiB, peak ${(peak / MIB).toFixed(0)} MiB`);
    expect(peak).to.be.greaterThan(0).and.lessThan(BAR_BYTES);
  });

  it('the API holds them as well', async () => {
    for (const pod of componentPods(cluster, 'api')) {
      const { resident, peak } = await memoryOf(pod.containers[0]?.pid ?? 0);
      console.log(
        `      api: resident ${(resident / MIB).toFixed(0)} MiB, peak ${(peak / MIB).toFixed(0)} MiB`,
      );
    }
  });
});

/** Memory of the processes that cache ten thousand finished ZipJobs. */
import { expect } from 'chai';
import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import { createStoredJobs } from '#test/support/builders/stored-jobs.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { followObjects } from '#test/support/clients/follow-objects.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import {
  adminApi,
  componentPods,
  leadingPod,
  metricOf,
  metricsOf,
} from '#test/support/processes/controller-pods.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { memoryOf } from '#test/support/processes/process-memory.ts';
import { until } from '#test/support/until.ts';
import { untilNoNamespaceTerminates } from '#test/support/until-no-namespace-terminates.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { resetInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';

const MIB = 1024 * 1024;
const JOBS = 10_000;
const BAR_BYTES = 200 * MIB;
const NAMESPACE = 'finished';
const FULL_RECONCILE_SECONDS = 5;

const withControllers = (cluster: Cluster, replicas: number, run: string): Promise<unknown> =>
  installChart(cluster, {
    controller: {
      replicas,
      podAnnotations: { 'zipjobs.dev/test-run': run },
      settings: { FULL_RECONCILE_SECONDS },
    },
  });

/** Every object of the jobs in the namespace. */
const followNamespace = async (api: KubeApi) => {
  const own = ['ZipJob', 'ZipBucket', 'ZipProject'] as const;
  const collections = [
    ...own.map((kind) => `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/${PLURALS[kind]}`),
    `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`,
    ...['pods', 'secrets', 'events'].map((plural) => `/api/v1/namespaces/${NAMESPACE}/${plural}`),
  ];
  return Promise.all(
    collections.map((path) =>
      followObjects(
        api,
        path,
        ({ metadata }: { readonly metadata: { readonly name: string } }) => `${path}/${metadata.name}`,
      ),
    ),
  );
};

describe('10,000 finished ZipJobs', function () {
  this.timeout(600_000);
  let cluster: Cluster;
  let api: KubeApi & AsyncDisposable;
  let project: Project;
  let uuids: readonly string[];

  before(async () => {
    cluster = await sharedCluster();
    api = await adminApi(cluster);
    await withControllers(cluster, 1, 'before');
    project = await createProject(cluster, { namespace: NAMESPACE });
    await untilNoNamespaceTerminates(cluster);
    await withControllers(cluster, 0, 'before');
    const { bucketName } = project;
    uuids = await createStoredJobs(api, { namespace: NAMESPACE, count: JOBS, bucketName });
  });
  after(async () => {
    await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    project[Symbol.dispose]();
    await api[Symbol.asyncDispose]();
    await resetInstallation();
    await untilNoNamespaceTerminates(cluster);
  });

  /** Write requests of the controller by its own metric; the renewal of the Lease is a PUT. */
  const writesSent = async (): Promise<Readonly<Record<string, number>>> => {
    const text = await metricsOf(api, await leadingPod(cluster, api));
    const sent = ['POST', 'PATCH', 'DELETE'].map((method) => [
      method,
      metricOf(text, 'rest_client_requests_total', `method="${method}"`),
    ]);
    return Object.fromEntries(sent);
  };

  const reconciled = async (queue: 'zipjob' | 'zipproject' = 'zipjob'): Promise<number> =>
    metricOf(
      await metricsOf(api, await leadingPod(cluster, api)),
      'workqueue_work_duration_seconds_count',
      `name="${queue}"`,
    );

  it('let a restarted controller reconcile them below 200 MiB', async () => {
    await withControllers(cluster, 1, 'after');
    const pod = await leadingPod(cluster, api);
    const startedAt = pod.containers[0]?.startedAt.getTime() ?? 0;
    const { status } = await api.get<{
      status: { conditions: { type: string; lastTransitionTime: string }[] };
    }>(`/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`);
    const ready = status.conditions.find(({ type }) => type === 'Ready');
    // Printed, not limited: it depends on the machine.
    const readyMs = Date.parse(ready?.lastTransitionTime ?? '') - startedAt;
    await until('every job to have been reconciled', async () => (await reconciled()) >= JOBS);
    const { peak } = await memoryOf(pod.containers[0]?.pid ?? 0);
    console.log(
      `      ready ${readyMs} ms after the start of the process, peak ${(peak / MIB).toFixed(0)} MiB`,
    );
    expect(peak).to.be.greaterThan(0).and.lessThan(BAR_BYTES);
  });

  it('are not reconciled in full reconciles, cause no writes, and keep the memory below 200 MiB (G3)', async () => {
    const followed = await followNamespace(api);
    const before = await writesSent();
    const jobs = await reconciled();
    const projects = await reconciled('zipproject');
    const list = `/apis/${GROUP_VERSION}/${PLURALS.ZipProject}`;
    const { items } = await api.get<{ items: readonly unknown[] }>(list);
    await until(
      'three full reconciles',
      async () => (await reconciled('zipproject')) >= projects + 3 * items.length,
      { limitMs: 60_000, intervalMs: 250 },
    );
    expect(await reconciled(), 'reconciles of jobs').to.equal(jobs);
    for (const one of followed) one[Symbol.dispose]();
    expect(await writesSent(), 'writes of the controller').to.deep.equal(before);
    expect(
      followed.flatMap(({ events }) => events),
      'changes',
    ).to.deep.equal([]);
    for (const { failure } of followed) expect(failure).to.equal(undefined);
    const pod = await leadingPod(cluster, api);
    const { resident, peak } = await memoryOf(pod.containers[0]?.pid ?? 0);
    console.log(`      resident ${(resident / MIB).toFixed(0)} MiB, peak ${(peak / MIB).toFixed(0)} MiB`);
    expect(peak).to.be.greaterThan(0).and.lessThan(BAR_BYTES);
  });

  it('keep an API that ran before them and a restarted one below 200 MiB, even when all are read', async () => {
    const values = {
      api: {
        podAnnotations: { 'zipjobs.dev/test-run': 'restarted' },
        settings: { REQUESTS_PER_MINUTE_PER_TOKEN: 0 },
      },
      projectClasses: { default: { requestsPerMinute: 0, createsPerSecond: 0, filesPerSecond: 0 } },
    };
    const expectBelow = async (when: string): Promise<void> => {
      const [pod] = componentPods(cluster, 'api');
      const { resident, peak } = await memoryOf(pod?.containers[0]?.pid ?? 0);
      console.log(
        `      api, ${when}: resident ${(resident / MIB).toFixed(0)} MiB, peak ${(peak / MIB).toFixed(0)} MiB`,
      );
      expect(peak, when).to.be.greaterThan(0).and.lessThan(BAR_BYTES);
    };
    await expectBelow('from the start');
    const baseUrl = await (await installChart(cluster, values)).apiUrl();
    await until('the first API to be gone', () => componentPods(cluster, 'api').length === 1);
    await expectBelow('ready');
    await inParallel(JOBS, 16, async (index) => {
      const { status } = await askApi(baseUrl, { path: `/v1/zips/${uuids[index]}`, token: project.token });
      expect(status).to.equal(200);
    });
    await expectBelow('after reads');
  });
});

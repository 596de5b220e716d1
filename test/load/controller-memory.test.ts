/** Cost of many finished ZipJobs for the processes that cache them. */

import { expect } from 'chai';
import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import { createStoredJobs } from '#test/support/builders/stored-jobs.ts';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
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
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';
import { untilNoNamespaceTerminates } from '#test/support/until-no-namespace-terminates.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation, sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import type { RunningPod } from '#tools/local-cluster/node-agent/node-agent.ts';

const MIB = 1024 * 1024;
/** The bars are for the full size. At any size, unit/controller/finished-jobs-memory.test.ts measures the heap of one job. */
const JOBS = sized(300, 10_000);
const BAR_BYTES = 200 * MIB;
const NAMESPACE = 'finished';
/** New processes, which have never seen the jobs before. */
const RESTARTED = { metadata: { annotations: { 'zipjobs.dev/test-run': 'finished' } } };
const VALUES = {
  controller: {
    replicas: 1,
    podTemplate: { ...RESTARTED, ...unsupportedPod('controller', { FULL_RECONCILE_SECONDS: 1 }) },
  },
  api: { podTemplate: RESTARTED, settings: { REQUESTS_PER_MINUTE_PER_TOKEN: 0 } },
  projectClasses: { default: { requestsPerMinute: 0, createsPerSecond: 0, filesPerSecond: 0 } },
};

/** Every object of the jobs in the namespace. */
async function followNamespace(api: KubeApi) {
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
}

describe(`${JOBS} finished ZipJobs`, function () {
  this.timeout(600_000);
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let api: KubeApi;
  let project: Project;
  let baseUrl: string;
  let uuids: readonly string[];

  async function expectBelow(what: string, pod: RunningPod | undefined): Promise<void> {
    const { resident, peak } = await memoryOf(pod?.containers[0]?.pid ?? 0);
    console.log(
      `      ${what}: resident ${(resident / MIB).toFixed(0)} MiB, peak ${(peak / MIB).toFixed(0)} MiB`,
    );
    expect(peak, what).to.be.greaterThan(0).and.lessThan(BAR_BYTES);
  }

  before(async () => {
    cluster = await sharedCluster();
    await sharedInstallation();
    api = life.use(await adminApi(cluster));
    project = life.use(await createProject(cluster, { namespace: NAMESPACE }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    // What earlier tests left would cause writes.
    await untilNoNamespaceTerminates(cluster);
    const { bucketName } = project;
    uuids = await createStoredJobs(api, { namespace: NAMESPACE, count: JOBS, bucketName });
    await expectBelow('api, which ran before them', componentPods(cluster, 'api')[0]);
    life.defer(forgetInstallation);
    const installation = await installChart(cluster, VALUES);
    await until(
      'only new pods to run',
      () => componentPods(cluster, 'api').length === 1 && componentPods(cluster, 'controller').length === 1,
    );
    baseUrl = await installation.apiUrl();
  });
  after(() => life.disposeAsync());

  /** Write requests of the controller by its own metric; the renewal of the Lease is a PUT. */
  async function writesSent(): Promise<Readonly<Record<string, number>>> {
    const text = await metricsOf(api, await leadingPod(cluster, api));
    const sent = ['POST', 'PATCH', 'DELETE'].map((method) => [
      method,
      metricOf(text, 'rest_client_requests_total', `method="${method}"`),
    ]);
    return Object.fromEntries(sent);
  }

  async function reconciled(queue: 'zipjob' | 'zipproject' = 'zipjob'): Promise<number> {
    return metricOf(
      await metricsOf(api, await leadingPod(cluster, api)),
      'workqueue_work_duration_seconds_count',
      `name="${queue}"`,
    );
  }

  it('let a restarted controller reconcile them below 200 MiB', async () => {
    await until('every job to have been reconciled', async () => (await reconciled()) >= JOBS);
    await expectBelow('controller, restarted', await leadingPod(cluster, api));
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
    await expectBelow('controller, after full reconciles', await leadingPod(cluster, api));
  });

  it('keep a restarted API below 200 MiB, even when all are read', async () => {
    const [pod] = componentPods(cluster, 'api');
    await expectBelow('api, ready', pod);
    await inParallel(JOBS, 16, async (index) => {
      const { status } = await askApi(baseUrl, { path: `/v1/zips/${uuids[index]}`, token: project.token });
      expect(status).to.equal(200);
    });
    await expectBelow('api, after reads', pod);
  });
});

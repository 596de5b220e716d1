/** A project that stores as much as it may, on a real cluster: refusals, and room from its oldest finished jobs. */

import { expect } from 'chai';
import { GROUP_VERSION, zipJobName } from '#crds/api-group.ts';
import { createStoredJobs } from '#test/support/builders/stored-jobs.ts';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { adminApi, componentPods, metricOf, metricsOf } from '#test/support/processes/controller-pods.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { applyObjects, createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';

const NAMESPACE = 'brimful';
/** The controller deletes finished jobs above 90 % of it. */
const STORED_JOBS = 20;
const KEPT = 18;
/** A day in production. */
const FULL_PROJECT_TTL_SECONDS = 10;

describe('a full project', function () {
  this.timeout(280_000);
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let admin: KubeApi;
  let project: Project;
  let baseUrl: string;

  before(async () => {
    life.defer(forgetInstallation);
    cluster = await sharedCluster();
    const installation = await installChart(cluster, {
      projectClasses: { default: { storedJobs: STORED_JOBS } },
      controller: { replicas: 1, podTemplate: unsupportedPod('controller', { FULL_PROJECT_TTL_SECONDS }) },
    });
    baseUrl = await installation.apiUrl();
    admin = life.use(await adminApi(cluster));
    project = life.use(await createProject(cluster, { namespace: NAMESPACE }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    await untilTokenKnown(baseUrl, project.token);
  });
  after(() => life.disposeAsync());

  let posted = 0;
  /** A job whose source does not exist, so that it ends soon. */
  function post(headers: Readonly<Record<string, string>> = {}) {
    posted += 1;
    const body = JSON.stringify({
      urls: [{ url: 'https://files.invalid/missing', filename: 'a' }],
      bucket_name: project.bucketName,
      key: `${posted}.zip`,
    });
    return askApi(baseUrl, { method: 'POST', path: '/v1/zips', token: project.token, body, headers });
  }
  async function storedNames(): Promise<readonly string[]> {
    const path = `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/zipjobs`;
    const list = await cluster.read<{ items: readonly { metadata: { name: string } }[] }>(path);
    return list.items.map(({ metadata }) => metadata.name);
  }

  it('refuses requests, shows it as a number, and accepts them once its oldest finished jobs are deleted (N2)', async () => {
    const uuids = await createStoredJobs(admin, {
      namespace: NAMESPACE,
      count: STORED_JOBS,
      bucketName: project.bucketName,
    });
    expect(await storedNames()).to.have.length(STORED_JOBS);
    const before: string[] = [];
    const full = await until('the API to see the jobs', async () => {
      const response = await post();
      before.push(...(response.body.data?.uuid === undefined ? [] : [response.body.data.uuid]));
      return response.status === 429 && response;
    });
    expect(full.body.error).to.include({ code: 'stored_jobs_full', type: 'rate_limit_error', param: null });
    expect(Number(full.headers.get('retry-after'))).to.be.at.least(1);
    const pod = await until('only the API with these limits to run', () => {
      const [first, ...others] = componentPods(cluster, 'api');
      return others.length === 0 && first;
    });
    const metrics = await metricsOf(admin, pod);
    const series = `project="${NAMESPACE}",limit="storedJobs"`;
    expect(metricOf(metrics, 'zip_api_project_limit_ratio', series)).to.be.at.least(1);
    const logs = await cluster.kubectl(['logs', '-n', RELEASE_NAMESPACE, pod.name]);
    expect(logs.stdout).to.contain('a project is full').and.to.contain(`"project":"${NAMESPACE}"`);

    await until('the oldest jobs to be deleted', async () => (await storedNames()).length === KEPT);
    expect([...uuids, ...before].map(zipJobName)).to.include.members([...(await storedNames())]);
    const accepted = await until('a request to be accepted', async () => {
      const response = await post();
      return response.status === 201 && response;
    });
    expect(accepted.body.data).to.include({ status: 'none' });
  });

  it('is refused by a ResourceQuota of the operator as well (N2)', async () => {
    // Otherwise the API would refuse the next one itself.
    await cluster.kubectl(['delete', 'zipjobs', '--all', '-n', NAMESPACE]);
    const quota = ['resourcequota', 'zipjobs', '-n', NAMESPACE];
    const hard = { 'count/zipjobs.zipjobs.dev': '1' };
    await applyObjects(cluster, [
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { namespace: NAMESPACE, name: 'zipjobs' },
        spec: { hard },
      },
    ]);
    await until('Kubernetes to know the quota', async () => {
      const { stdout } = await cluster.kubectl(['get', ...quota, '-o', 'jsonpath={.status.hard}']);
      return stdout !== '';
    });
    // Kubernetes looks for new kinds to count only every 30 s.
    const status = JSON.stringify({ status: { hard, used: { 'count/zipjobs.zipjobs.dev': '1' } } });
    await cluster.kubectl(['patch', ...quota, '--subresource=status', '--type=merge', '-p', status]);
    const refused = await until('the quota to be used up', async () => {
      const response = await post();
      return response.status !== 201 && response;
    });
    expect(refused.body.error?.code).to.equal('quota_exceeded');
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1);
  });
});

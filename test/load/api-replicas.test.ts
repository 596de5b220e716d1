/**
 * Two replicas of the API that share a real Redis, as the chart installs them, behind a client-side load
 * balancer.
 */
import { expect } from 'chai';
import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import { createStoredJobs } from '#test/support/builders/stored-jobs.ts';
import { startSteadyLoad } from '#test/support/clients/steady-load.ts';
import { adminApi, componentPods, metricOf, metricsOf } from '#test/support/processes/controller-pods.ts';
import { installChart, RELEASE, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { balanceOverPods, type PodBalancer } from '#test/support/processes/pod-balancer.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { type RedisServer, startRedisServer } from '#test/support/servers/redis-server.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';

const NAMESPACE = 'api-replicas';
const UNKNOWN = '/v1/zips/00000000-0000-4000-8000-000000000000';
/** More than any test here sends, so that requests are counted but not refused. */
const LIMIT = 1_000_000;

describe('two replicas of the API', function () {
  this.timeout(180_000);
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let admin: KubeApi;
  let redis: RedisServer;
  let project: Project;
  let balancer: PodBalancer;

  before(async function () {
    await requirePrograms(this, ['redis-server']);
    life.defer(forgetInstallation);
    cluster = await sharedCluster();
    admin = life.use(await adminApi(cluster));
    redis = life.use(await startRedisServer());
    await installChart(cluster, {
      redis: { url: redis.url },
      projectClasses: { default: { requestsPerMinute: LIMIT } },
      api: { replicas: 2, settings: { REQUESTS_PER_MINUTE_PER_TOKEN: LIMIT } },
    });
    project = life.use(await createProject(cluster, { namespace: NAMESPACE }));
    balancer = life.use(await balanceOverPods(admin));
    await until('both to be ready, and nothing else', () => {
      return balancer.addresses.length === 2 && componentPods(cluster, 'api').length === 2;
    });
    for (const address of balancer.addresses) await untilTokenKnown(`http://${address}:8080`, project.token);
  });
  after(() => life.disposeAsync());

  function read(address: string, token = project.token) {
    return balancer.requestTo(address, { method: 'GET', path: UNKNOWN, token });
  }
  /**
   * The remaining requests of the token in this minute according to one replica; undefined when requests are
   * not counted.
   */
  async function leftAt(address: string): Promise<number | undefined> {
    const { status, headers } = await read(address);
    expect(status).to.equal(404);
    const [, left] = /"token";r=(\d+)/.exec(String(headers['ratelimit'])) ?? [];
    return left === undefined ? undefined : Number(left);
  }
  async function remainingByReplica(count: number): Promise<readonly (number | undefined)[]> {
    const left: (number | undefined)[] = [];
    for (let n = 0; n < count; n += 1) left.push(await leftAt(balancer.addresses[n % 2] ?? ''));
    return left;
  }

  it('count requests together, pass them while Redis is down, and count again when it returns', async () => {
    const counted = await until('a minute with enough time left', async () => {
      const left = await remainingByReplica(6);
      const [first = 0] = left;
      return left.every((one, n) => one === first - n) && left;
    });
    expect(counted).to.have.length(6);
    await using load = startSteadyLoad(
      50,
      async () => (await balancer.request({ method: 'GET', path: UNKNOWN, token: project.token })).status,
    );
    await redis.kill();
    await until('requests to pass without being counted', async () =>
      (await remainingByReplica(20)).every((left) => left === undefined),
    );
    for (const pod of componentPods(cluster, 'api')) {
      expect(metricOf(await metricsOf(admin, pod), 'zip_api_rate_limits_skipped_total')).to.be.greaterThan(0);
      const { stdout } = await cluster.kubectl(['logs', '-n', RELEASE_NAMESPACE, pod.name]);
      expect(stdout).to.contain('Redis does not respond').and.not.contain(redis.url);
    }
    expect(balancer.addresses, 'both stay ready').to.have.length(2);
    await redis.start();
    await until('requests to be counted again', async () =>
      (await remainingByReplica(4)).every((left) => left !== undefined),
    );
    const outcomes = await load.stop();
    expect(outcomes.filter(({ result }) => result !== 404)).to.deep.equal([]);
  });

  it('accept no request with a token that was deleted a second ago (T6, H11)', async () => {
    const token = await project.addToken(['read']);
    for (const address of balancer.addresses) await untilTokenKnown(`http://${address}:8080`, token);
    await using load = startSteadyLoad(
      100,
      async () => (await balancer.request({ method: 'GET', path: UNKNOWN, token })).status,
    );
    await until('requests to succeed', () => load.outcomes.length > 100);
    const tokens = `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/${PLURALS.ZipToken}`;
    const masked = `${token.slice(0, 4)}...${token.slice(-4)}`;
    const { items } = await admin.get<{ items: { metadata: { name: string }; spec: { masked: string } }[] }>(
      tokens,
    );
    const name = items.find(({ spec }) => spec.masked === masked)?.metadata.name ?? '';
    await admin.remove(`${tokens}/${name}`, {});
    const deletedAt = performance.now();
    function isTargetGone({ at }: { readonly at: number }): boolean {
      return at > deletedAt + 1_000;
    }
    await until('requests after that', () => load.outcomes.filter(isTargetGone).length > 200);
    const outcomes = await load.stop();
    function results(of: typeof outcomes) {
      return new Set(of.map(({ result }) => result));
    }
    expect([...results(outcomes.filter(isTargetGone))]).to.deep.equal([401]);
    expect([...results(outcomes.filter(({ at }) => at < deletedAt - 1_000))]).to.deep.equal([404]);
  });

  it('are replaced one by one without a failed request at 200 requests per second (T26)', async () => {
    const { token, bucketName } = project;
    const [uuid] = await createStoredJobs(admin, { namespace: NAMESPACE, count: 1, bucketName });
    const read = { method: 'GET', path: `/v1/zips/${uuid}`, token } as const;
    for (const address of balancer.addresses)
      await until(
        'the job to be known',
        async () => (await balancer.requestTo(address, read)).status === 200,
      );
    // Ends at once: a later test in this cluster counts what is reconciled.
    const urls = [{ url: 'data:,a', filename: 'a' }];
    const create = {
      method: 'POST',
      path: '/v1/zips',
      token,
      body: JSON.stringify({ bucket_name: bucketName, key: 'rolling.zip', urls }),
      // The same for all: the API handles every create, but the cluster gets one job.
      headers: { 'idempotency-key': 'rolling' },
    } as const;
    const before = new Set(balancer.addresses);
    await using load = startSteadyLoad(200, async (n) => {
      return (await balancer.request(n % 20 === 0 ? create : read)).status;
    });
    const deployment = `deployment/${RELEASE}-api`;
    await cluster.kubectl(['rollout', 'restart', deployment, '-n', RELEASE_NAMESPACE]);
    await cluster.kubectl(['rollout', 'status', deployment, '-n', RELEASE_NAMESPACE, '--timeout=120s']);
    await until('the old ones to be gone', () => componentPods(cluster, 'api').length === 2);
    const sofar = load.outcomes.length;
    await until('requests to succeed after the update', () => load.outcomes.length > sofar + 200);
    const outcomes = await load.stop();
    expect(balancer.addresses.filter((address) => before.has(address))).to.deep.equal([]);
    console.log(`      ${outcomes.length} requests during the restart`);
    const counts = Map.groupBy(outcomes, ({ result }) => result);
    const reported = JSON.stringify([...counts].map(([result, some]) => [result, some.length]));
    expect([...counts.keys()], reported).to.have.members([200, 201]);
  });
});

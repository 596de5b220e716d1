/** The chart on a real node: installed, used, disturbed, upgraded, rolled back and removed, in this order. */
import { Resolver } from 'node:dns/promises';
import { availableParallelism } from 'node:os';
import { expect } from 'chai';
import { PLURALS, ZIPPER_CONTAINER } from '#crds/api-group.ts';
import { recordJobs } from '#test/bench/node/job-moments.ts';
import { STAGES, stageTimes, summarize } from '#test/bench/node/stages.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { openBrowser } from '#test/support/browser/browser.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { startSteadyRequests } from '#test/support/clients/steady-requests.ts';
import { documentedKubectl } from '#test/support/documented-kubectl.ts';
import { createCommandLine } from '#test/support/processes/command-line.ts';
import { RELEASE, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { startPortForward } from '#test/support/processes/port-forward.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import { verifyDelivery } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { createDashboardUser } from '#test/support/worlds/dashboard-users.ts';
import { freeCapacity, zipperRequests } from '#test/support/worlds/node-capacity.ts';
import { realCluster, requireNode } from '#test/support/worlds/real-cluster.ts';
import { type RealFlow, startRealFlow } from '#test/support/worlds/real-flow.ts';
import { installOnNode, serviceUrl } from '#test/support/worlds/real-installation.ts';
import { ADDRESSES, CLUSTER_DOMAIN } from '#tools/real-node/addresses.ts';
import { ctr, killContainer } from '#tools/real-node/containers.ts';
import { IMAGE_TAG, IMAGES, REGISTRY } from '#tools/real-node/images.ts';
import { memoryOfPods } from '#tools/real-node/pod-memory.ts';
import type { RealCluster } from '#tools/real-node/real-cluster.ts';

const LIMIT_MS = 240_000;
const NAMESPACE = 'real-node';
const NEXT_TAG = 'next';
/** Jobs that run at once on a node of 4 GiB beside the release, as docs/performance.md says. */
const JOBS_OF_NODE = 13;
/** With fewer processors, their requests of CPU allow fewer jobs. */
const JOBS_CPUS = 2;
const DENSITY_LIMIT_MS = 900_000;

describe('the release on a real node', function () {
  this.timeout(LIMIT_MS);
  const life = new AsyncDisposableStack();
  let cluster: RealCluster;
  let flow: RealFlow;

  before(async function () {
    requireNode(this);
    cluster = await realCluster();
    await installOnNode(cluster);
    flow = life.use(await startRealFlow(cluster, NAMESPACE));
  });
  after(() => life.disposeAsync());

  async function kubectl(...args: readonly string[]): Promise<string> {
    return (await cluster.kubectl(['-n', NAMESPACE, ...args])).stdout.trim();
  }

  /** The pod of a job that runs. */
  function podOf(uuid: string): Promise<string> {
    return kubectl('get', 'pods', '-l', `job-name=zip-${uuid}`, '-o', 'jsonpath={.items[0].metadata.name}');
  }

  async function imagesOfRelease(): Promise<readonly string[]> {
    const path = 'jsonpath={range .items[*]}{.spec.template.spec.containers[0].image} {end}';
    const { stdout } = await cluster.kubectl(['get', 'deployments', '-n', RELEASE_NAMESPACE, '-o', path]);
    return stdout.trim().split(' ');
  }

  function imageOfJob(uuid: string): Promise<string> {
    return kubectl('get', 'job', `zip-${uuid}`, '-o', 'jsonpath={.spec.template.spec.containers[0].image}');
  }

  /** Also contains what the kernel reported before the kubelet started: the kubelet reads the whole log of the kernel. */
  async function outOfMemoryEvents(): Promise<readonly string[]> {
    const path = 'jsonpath={range .items[*]}{.reason}: {.message}{"\\n"}{end}';
    const lines = (await kubectl('get', 'events', '-A', '-o', path)).split('\n');
    return lines.filter((line) => /^(Evicted|SystemOOM|OOMKilling): /.test(line));
  }

  function helmTest() {
    return cluster.helm(['test', RELEASE, '-n', RELEASE_NAMESPACE, '--logs', '--timeout', '180s'], {
      allowFailure: true,
    });
  }

  it('has a cluster DNS that resolves the Service of the API', async () => {
    const resolver = new Resolver();
    resolver.setServers([ADDRESSES.dns]);
    const [address] = await resolver.resolve4(`${RELEASE}-api.${RELEASE_NAMESPACE}.svc.${CLUSTER_DOMAIN}`);
    expect(flow.baseUrl).to.contain(`//${address}:`);
  });

  it('passes helm test, which says what it checked (X29)', async () => {
    const { exitCode, stdout, stderr } = await helmTest();
    expect(exitCode, `${stdout}${stderr}`).to.equal(0);
    for (const line of [
      'ok: API reference: GET http://zipjobs-api.zipjobs-system.svc:80/openapi.json',
      'ok: API request without a token: GET ',
      'ok: controller readiness: GET ',
      'ok: dashboard sign-in page: GET ',
      'ok: leader: zipjobs-controller-',
      'ok: policies: All admission policies and their bindings are those of the release.',
      'ok: rights: All roles and their bindings are those of the release.',
    ])
      expect(stdout).to.contain(line);
    expect(stdout).not.to.contain('failed');
  });

  it('runs a job from POST to archive, webhook and download', async () => {
    const uuid = await flow.post('main.zip', flow.origin.url('/gen/3000000/1'));
    await flow.project.untilPhase(uuid, ['Succeeded', 'Failed']);
    const entries = await zipEntries(await flow.project.bucket.bytes('main.zip'));
    expect(entries.map(({ name }) => name)).to.deep.equal(['file.bin']);
    expect(entries[0]?.content.equals(generatedBytes(3_000_000, 1))).to.equal(true);
    const delivery = await flow.receiver.next(({ body }) => body.includes(uuid));
    verifyDelivery(delivery, flow.project.webhookSecret);
  });

  it('records the stages of a job from POST to Succeeded (G15)', async () => {
    await using recorder = await recordJobs(cluster, flow);
    const url = flow.origin.url('/gen/50000/1');
    const jobs = [await recorder.run('stages-1.zip', url), await recorder.run('stages-2.zip', url)];
    for (const job of jobs) {
      const inOrder = [job.posted, job.sandboxStarted, job.containerStarted, job.activated];
      expect(inOrder).to.deep.equal([...new Set(inOrder)].toSorted((a, b) => a - b));
      const times = stageTimes(job);
      expect(times).to.have.length(STAGES.length);
      for (const ms of times) expect(ms).to.be.at.least(0);
    }
    const median = new Map(summarize(jobs).map(({ stage, p50_ms }) => [stage, p50_ms]));
    for (const part of ['ours', 'Kubernetes'])
      expect(median.get(part))
        .to.be.greaterThan(0)
        .and.lessThan(median.get('POST to succeeded') ?? 0);
  });

  it('runs as many tiny jobs at once as the requests of the chart allow (G15)', async function () {
    this.timeout(DENSITY_LIMIT_MS);
    // The kubelet reports the end of a pod later than containerd.
    const unfinished = ['--field-selector', 'status.phase!=Succeeded,status.phase!=Failed', '-o', 'name'];
    await until('earlier pods to end', async () => (await kubectl('get', 'pods', ...unfinished)) === '');
    const free = await freeCapacity(cluster);
    const requests = await zipperRequests(
      cluster,
      `/apis/apps/v1/namespaces/${RELEASE_NAMESPACE}/deployments/${RELEASE}-controller`,
    );
    const byMemory = Math.floor(free.memoryBytes / requests.memoryBytes);
    const count = Math.min(byMemory, Math.floor(free.cpu / requests.cpu));
    expect(byMemory).to.equal(JOBS_OF_NODE);
    if (availableParallelism() >= JOBS_CPUS) expect(count).to.equal(JOBS_OF_NODE);
    const before = await outOfMemoryEvents();
    const names = Array.from({ length: count }, (_, index) => `dense-${index}.zip`);
    // Each resolves when its zipper has written its first progress, and its source waits.
    const jobs = await Promise.all(names.map((name) => flow.startHeldJob(name)));
    const pods = await memoryOfPods(cluster.node.cgroup);
    expect(pods?.workingSet).to.be.greaterThan(0).and.lessThan(free.memoryBytes);
    const finished = await Promise.all(jobs.map((job) => job.finish()));
    expect(finished).to.deep.equal(names.map(() => ({ attempts: 1 })));
    const added = (await outOfMemoryEvents()).filter((event) => !before.includes(event));
    expect(added).to.deep.equal([]);
  });

  it('is reachable with kubectl port-forward: API and dashboard (X1)', async () => {
    for (const [component, path] of [
      ['api', '/openapi.json'],
      ['dashboard', '/sign-in'],
    ] as const) {
      const target = { namespace: RELEASE_NAMESPACE, target: `service/${RELEASE}-${component}`, port: 80 };
      await using forward = await startPortForward(cluster, target);
      const response = await fetch(`${forward.url}${path}`, { headers: { connection: 'close' } });
      expect(response.status, component).to.equal(200);
      await response.text();
    }
  });

  it('has a dashboard that users sign in to at the address of its Service', async function () {
    await requireBrowser(this);
    const user = await createDashboardUser(cluster, NAMESPACE, { account: 'ada', role: 'admin' });
    await using context = await openBrowser({ baseURL: await serviceUrl(cluster, 'dashboard') });
    const page = await context.newPage();
    await page.goto('/sign-in');
    await page.getByLabel('Kubernetes token').fill(user.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
  });

  it('tests a bucket from a pod', async () => {
    const zipjobs = createCommandLine({ kubeconfig: cluster.kubeconfigPath });
    const { stdout } = await zipjobs.succeed(['bucket', 'test', flow.project.bucketName, '-n', NAMESPACE]);
    expect(stdout).not.to.equal('');
  });

  it('retries a job whose container was killed', async () => {
    const job = await flow.startHeldJob('killed-container.zip');
    await killContainer(await podOf(job.uuid), ZIPPER_CONTAINER);
    await job.untilPodInactive();
    expect(await job.finish()).to.deep.equal({ attempts: 2 });
  });

  it('retries a job whose pod was deleted without a grace period', async () => {
    const job = await flow.startHeldJob('killed-pod.zip');
    await kubectl('delete', 'pod', await podOf(job.uuid), '--grace-period=0', '--force');
    await job.untilPodInactive();
    expect(await job.finish()).to.deep.equal({ attempts: 2 });
  });

  it('continues a job while kubelet and containerd restart', async () => {
    const job = await flow.startHeldJob('node-restart.zip');
    await cluster.node.restart();
    expect(await job.finish()).to.deep.equal({ attempts: 1 });
  });

  it('upgrades to another image and back while a job runs', async () => {
    const spanning = await flow.startHeldJob('spanning.zip');
    for (const name of Object.keys(IMAGES))
      await ctr('images', 'tag', `${REGISTRY}/${name}:${IMAGE_TAG}`, `${REGISTRY}/${name}:${NEXT_TAG}`);
    await installOnNode(cluster, NEXT_TAG);
    for (const image of await imagesOfRelease()) expect(image).to.match(/:next$/);
    const next = await flow.startHeldJob('upgraded.zip');
    expect(await imageOfJob(next.uuid)).to.equal(`${REGISTRY}/zipjobs-zipper:${NEXT_TAG}`);
    await cluster.helm(['rollback', RELEASE, '1', '-n', RELEASE_NAMESPACE, '--wait', '--timeout', '180s']);
    for (const image of await imagesOfRelease()) expect(image).to.match(/:built$/);
    for (const job of [spanning, next]) expect(await job.finish()).to.deep.equal({ attempts: 1 });
  });

  it('loses no request when autoscaling of the API is enabled and disabled (BC6)', async () => {
    const uuid = await flow.post('autoscaling.zip', flow.origin.url('/gen/1000/1'));
    async function podsOfApi(): Promise<number> {
      const status = ['-o', 'jsonpath={.status.readyReplicas}'];
      const deployment = ['get', 'deployment', `${RELEASE}-api`, '-n', RELEASE_NAMESPACE, ...status];
      return Number((await cluster.kubectl(deployment)).stdout);
    }
    await installOnNode(cluster, IMAGE_TAG, { api: { replicas: 3 } });
    const requests = startSteadyRequests(`${flow.baseUrl}/v1/zips/${uuid}`, flow.project.token);
    const pods: number[] = [];
    for (const autoscaling of [{ enabled: true, minReplicas: 2, maxReplicas: 4 }, { enabled: false }]) {
      await installOnNode(cluster, IMAGE_TAG, { api: { replicas: 2, autoscaling } });
      pods.push(await podsOfApi());
    }
    const outcomes = await requests.stop();
    console.log(`      ${[...outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(', ')}`);
    // Without metrics, the autoscaler removes no pod.
    expect(pods).to.deep.equal([3, 2]);
    expect([...outcomes.keys()]).to.deep.equal(['200']);
  });

  it('fails helm test without a pod of the API, and says what to do next (X29)', async () => {
    await installOnNode(cluster, IMAGE_TAG, { api: { replicas: 0 }, test: { timeoutSeconds: 5 } });
    // Until then, its Service leads to a pod that still responds.
    await until('the pods of the API to end', async () => {
      const selection = ['-n', RELEASE_NAMESPACE, '-l', 'app.kubernetes.io/component=api'];
      return (await cluster.kubectl(['get', 'pods', ...selection, '-o', 'name'])).stdout === '';
    });
    const { exitCode, stdout } = await helmTest();
    expect(exitCode, stdout).not.to.equal(0);
    expect(stdout).to.match(
      /^failed: API reference: GET \S+: no response \(.*kubectl get pods -n zipjobs-system/m,
    );
    expect(stdout).to.match(/^ok: controller readiness: /m);
    expect(stdout).to.contain(
      'failed: components: Deployment zipjobs-api is scaled to 0 replicas. Scale it: kubectl',
    );
  });

  it('leaves its definitions when it is removed', async () => {
    await cluster.helm(['uninstall', RELEASE, '-n', RELEASE_NAMESPACE, '--wait', '--timeout', '180s']);
    const { stdout } = await cluster.kubectl(['get', 'crd', '-o', 'name']);
    for (const plural of Object.values(PLURALS)) expect(stdout).to.contain(`/${plural}.`);
    await cluster.kubectl(await documentedKubectl('docs/upgrade.md', 'delete pod'));
    await until('the pods of the release to end', async () => {
      const left = await cluster.kubectl(['get', 'deployments,pods', '-n', RELEASE_NAMESPACE, '-o', 'name']);
      return left.stdout === '';
    });
  });

  it('has its definitions deleted by the documented command (X6)', async () => {
    await cluster.kubectl(await documentedKubectl('docs/upgrade.md', 'delete crd'));
    const { stdout } = await cluster.kubectl(['get', 'crd', '-o', 'name']);
    expect(stdout).not.to.contain('zipjobs.dev');
  });
});

import { expect } from 'chai';
import { followObjects } from '#test/support/clients/follow-objects.ts';
import { adminApi } from '#test/support/processes/controller-pods.ts';
import { until } from '#test/support/until.ts';
import {
  aDeployment,
  aJob,
  aPod,
  aPodWithVolumes,
  aServer,
  type Env,
  isAlive,
  isReady,
  type PodObject,
  restartsOf,
  runningPids,
  type Termination,
  terminationOf,
  toEnv,
} from '#test/support/worlds/cluster-objects.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import type { Cluster, Manifest } from '#tools/local-cluster/cluster-types.ts';
import { chosenKubernetes, minorNumber } from '#tools/local-cluster/kubernetes-versions.ts';

const NAMESPACE = 'local-cluster-test';
const NAMESPACE_PATH = `/api/v1/namespaces/${NAMESPACE}`;

describe('local cluster', function () {
  this.timeout(180_000);
  let cluster: Cluster;

  before(async () => {
    cluster = await sharedCluster();
    await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }]);
    await until('the default service account', () => read<Manifest>('serviceaccounts/default'));
  });

  after(async () => {
    await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
  });

  async function kubectl(args: readonly string[]): Promise<string> {
    return (await cluster.kubectl(['--namespace', NAMESPACE, ...args])).stdout;
  }
  function read<T>(path: string): Promise<T> {
    return cluster.read(`${NAMESPACE_PATH}/${path}`);
  }
  function apply(object: Manifest): Promise<void> {
    return cluster.apply([{ ...object, metadata: { ...object.metadata, namespace: NAMESPACE } }]);
  }
  function getPod(name: string): Promise<PodObject> {
    return read(`pods/${name}`);
  }
  function podWhen(name: string, holds: (pod: PodObject) => boolean | undefined): Promise<PodObject> {
    return until(`pod ${name}`, async () => {
      const pod = await getPod(name);
      return holds(pod) === true && pod;
    });
  }
  function ended(name: string): Promise<Termination> {
    return podWhen(name, ({ status }) => status.phase === 'Succeeded' || status.phase === 'Failed').then(
      terminationOf,
    );
  }
  async function ask(pod: PodObject, path: string): Promise<string> {
    return (await fetch(`http://${pod.status.podIP}:8080${path}`)).text();
  }
  function serving(name: string): Promise<PodObject> {
    return podWhen(name, isReady);
  }

  it('runs the Kubernetes that ZIPJOBS_KUBERNETES names, with its kubectl (X52)', async () => {
    const { version } = chosenKubernetes();
    const { clientVersion, serverVersion } = JSON.parse(await kubectl(['version', '--output', 'json'])) as {
      readonly clientVersion: { readonly gitVersion: string };
      readonly serverVersion: { readonly gitVersion: string; readonly minor: string };
    };
    expect(clientVersion.gitVersion).to.equal(`v${version}`);
    expect(serverVersion).to.include({ gitVersion: `v${version}`, minor: String(minorNumber(version)) });
  });

  it('has a ready control plane, node and store', async () => {
    expect(await kubectl(['get', '--raw', '/readyz'])).to.equal('ok');
    // An earlier test may have stopped the node and started it again.
    await until('the node to be ready', async () =>
      /^local +Ready/m.test(await kubectl(['get', 'nodes', '--no-headers'])),
    );
    expect((await fetch(`${cluster.store.endpoint}/healthz`)).status).to.equal(200);
    await cluster.createBucket('local-cluster-test');
  });

  it('publishes its certificate authority to every namespace', async () => {
    const authority = await kubectl([
      'get',
      'configmap',
      'kube-root-ca.crt',
      '--output',
      'jsonpath={.data.ca\\.crt}',
    ]);
    expect(authority.trim()).to.equal(cluster.apiServer.ca.trim());
  });

  it('authenticates a user by certificate and grants no permissions by default', async () => {
    const kubeconfig = await cluster.kubeconfigFor({ commonName: 'ada', organizations: ['readers'] });
    const who = await cluster.kubectl(['auth', 'whoami'], { kubeconfig });
    expect(who.stdout)
      .to.match(/Username +ada/)
      .and.match(/readers/);
    const refused = await cluster.kubectl(['get', 'secrets'], { kubeconfig, allowFailure: true });
    expect(refused.stderr).to.match(/Forbidden/);
  });

  it('reports an image that it cannot run as an image that cannot be pulled', async () => {
    await apply(aDeployment('unknown-image', 'registry.example/nobody/made-this:1'));
    await until('ImagePullBackOff', async () =>
      JSON.stringify(await read('pods')).includes('ImagePullBackOff'),
    );
    await kubectl(['delete', 'deployment', 'unknown-image']);
  });

  it('reports exit code, termination message and phase', async () => {
    const env = { EXIT_CODE: '31', MESSAGE: 'the source failed', TERMINATION_LOG: '/dev/termination-log' };
    await apply(aPod('exits', { image: 'test-exits', env: toEnv(env) }));
    expect(await ended('exits')).to.include({ exitCode: 31, reason: 'Error', message: 'the source failed' });
    await apply(aPod('completes', { image: 'registry.example:5000/team/test-exits:v1' }));
    expect(await ended('completes')).to.include({ exitCode: 0, reason: 'Completed' });
  });

  it('uses the end of the output as the message of a failed container that wrote none, and returns it as log', async () => {
    const terminationMessagePolicy = 'FallbackToLogsOnError';
    const env = toEnv({ EXIT_CODE: '1', LINE: 'last line' });
    await apply(aPod('fallback', { image: 'test-exits', env, terminationMessagePolicy }));
    expect((await ended('fallback')).message).to.contain('last line');
    expect(await kubectl(['logs', 'fallback', '--tail=1'])).to.equal('last line\n');
  });

  it('reports a process that was killed from outside with exit code 137', async () => {
    await apply(aPod('killed', aServer()));
    const { metadata } = await serving('killed');
    expect(cluster.node.kill(metadata.uid, 'SIGKILL')).to.equal(true);
    expect((await ended('killed')).exitCode).to.equal(137);
  });

  it('restarts a container that fails and keeps its last state', async () => {
    const pod = aPod('restarts', { image: 'test-exits', env: toEnv({ EXIT_CODE: '3' }) });
    await apply({ ...pod, spec: { ...pod.spec, restartPolicy: 'Always' } });
    const { status } = await podWhen('restarts', (seen) => restartsOf(seen) >= 1);
    expect(status.containerStatuses?.[0]?.lastState.terminated?.exitCode).to.equal(3);
    await kubectl(['delete', 'pod', 'restarts']);
  });

  it('runs init containers first and stops when one fails', async () => {
    const pod = aPod('init', { image: 'test-exits' });
    const initContainers = [{ name: 'first', image: 'test-exits', env: toEnv({ EXIT_CODE: '7' }) }];
    await apply({ ...pod, spec: { ...pod.spec, initContainers } });
    await podWhen(
      'init',
      ({ status }) => status.phase === 'Failed' && status.containerStatuses?.[0]?.state.waiting !== undefined,
    );
  });

  it('ends a pod with SIGTERM, and with SIGKILL after the grace period', async () => {
    await apply(aPod('polite', aServer()));
    await apply(aPod('stubborn', aServer(toEnv({ STUBBORN: '1' }))));
    const [polite, stubborn] = await Promise.all([serving('polite'), serving('stubborn')]);
    const pids = cluster.node
      .pods()
      .flatMap(({ uid, containers }) =>
        uid === polite.metadata.uid || uid === stubborn.metadata.uid ? containers.map(({ pid }) => pid) : [],
      );
    await using api = await adminApi(cluster);
    using deleted = await followObjects(api, `${NAMESPACE_PATH}/pods`, (pod: PodObject) => pod);
    async function exitCodeOf(name: string): Promise<number> {
      const last = await until(`the end of ${name}`, () =>
        deleted.events.find(({ type, object }) => type === 'DELETED' && object.metadata.name === name),
      );
      return terminationOf(last.object).exitCode;
    }
    await kubectl(['delete', 'pod', 'polite', '--grace-period=20']);
    expect(await exitCodeOf('polite')).to.equal(0);
    const start = performance.now();
    await kubectl(['delete', 'pod', 'stubborn', '--grace-period=1']);
    // Shorter than the default grace period of 30 s.
    expect(performance.now() - start).to.be.within(900, 25_000);
    expect(await exitCodeOf('stubborn')).to.equal(137);
    expect(pids.filter(isAlive)).to.deep.equal([]);
  });

  it('applies readiness probes, and restarts after failed liveness probes', async () => {
    // A slow response on a busy machine is not a failed probe.
    const often = { periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 60 };
    const probes = {
      readinessProbe: { httpGet: { path: '/ready', port: 'http' }, ...often },
      startupProbe: { httpGet: { path: '/live', port: 8080 }, failureThreshold: 30 },
      livenessProbe: { httpGet: { path: '/live', port: 8080 }, ...often },
      ports: [{ name: 'http', containerPort: 8080 }],
    };
    const pod = aPod('probed', { ...aServer(), ...probes });
    await apply({ ...pod, spec: { ...pod.spec, restartPolicy: 'Always' } });
    const ready = await serving('probed');
    expect(await cluster.readyPodAddress(NAMESPACE, 'app=probed')).to.equal(ready.status.podIP);
    await ask(ready, '/set?ready=false');
    await podWhen('probed', (seen) => isReady(seen) === false);
    await ask(ready, '/set?live=false');
    await podWhen('probed', (seen) => restartsOf(seen) === 1 && isReady(seen));
    await kubectl(['delete', 'pod', 'probed']);
  });

  it('gives a pod its own token that the API server accepts', async () => {
    await apply(aPod('token', aServer()));
    const pod = await serving('token');
    const review = await ask(pod, '/whoami');
    expect(review).to.contain(`system:serviceaccount:${NAMESPACE}:default`).and.contain(pod.metadata.uid);
    await kubectl(['delete', 'pod', 'token']);
    expect(await ask(pod, '/live').catch(() => 'gone')).to.equal('gone');
  });

  it('mounts volumes at real paths and waits for a Secret that is created later', async () => {
    await apply(aPodWithVolumes());
    await until('FailedMount', async () => JSON.stringify(await read('events')).includes('FailedMount'));
    await podWhen(
      'mounts',
      ({ status }) => status.containerStatuses?.[0]?.state.waiting?.reason === 'ContainerCreating',
    );
    await kubectl(['create', 'secret', 'generic', 'late', '--from-literal=key=sesame']);
    const pod = await serving('mounts');
    const env = JSON.parse(await ask(pod, '/env')) as Env;
    function file(path: string): Promise<string> {
      return ask(pod, `/file?path=${encodeURIComponent(path)}`);
    }
    expect(await file(env['KEY_FILE'] ?? '')).to.equal('sesame');
    expect(await file(`${env['TASK_DIR']}/task.json`)).to.equal('{"a":1}');
    expect(env).to.include({ FROM_SECRET: 'sesame', NAME: 'mounts', GREETING: 'hello mounts', LIMIT: '64' });
    expect(Object.keys(env)).not.to.include('npm_package_name');
    await kubectl(['annotate', 'pod', 'mounts', '--overwrite', 'zipjobs.dev/task={"a":2}']);
    await until('the annotation', async () => (await file(`${env['TASK_DIR']}/task.json`)) === '{"a":2}');
    await kubectl(['delete', 'pod', 'mounts']);
  });

  it('reports an environment variable that refers to a missing Secret', async () => {
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'nobody', key: 'k' } } }];
    await apply(aPod('config', { image: 'test-exits', env }));
    function waiting(pod: PodObject): boolean {
      return pod.status.containerStatuses?.[0]?.state.waiting?.reason === 'CreateContainerConfigError';
    }
    await podWhen('config', waiting);
    await kubectl(['delete', 'pod', 'config']);
  });

  it('runs Jobs: one completes, one fails at once by its podFailurePolicy', async () => {
    await apply(aJob('good', '0'));
    await apply(aJob('bad', '12'));
    await kubectl(['wait', 'job/good', '--for=condition=Complete', '--timeout=100s']);
    await kubectl(['wait', 'job/bad', '--for=condition=Failed', '--timeout=100s']);
    const reason = await kubectl([
      'get',
      'job',
      'bad',
      '--output',
      'jsonpath={.status.conditions[?(@.type=="Failed")].reason}',
    ]);
    expect(reason).to.equal('PodFailurePolicy');
  });

  it('stops its node and starts it again with its pods', async () => {
    await apply(aPod('survivor', aServer()));
    const { metadata } = await serving('survivor');
    await cluster.node.stop();
    expect(cluster.node.kill(metadata.uid, 'SIGTERM')).to.equal(true);
    await until('the process to end', () => runningPids(cluster, metadata.uid).length === 0);
    expect((await getPod('survivor')).status.phase).to.equal('Running');
    await cluster.node.start();
    expect((await ended('survivor')).exitCode).to.equal(0);
  });
});

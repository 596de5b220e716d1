/** The support bundle of a real cluster that contains planted secrets everywhere. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { bucketResourceName, GROUP_VERSION, LABELS } from '#crds/api-group.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { apiServerTls } from '#test/support/clients/api-server-tls.ts';
import { runCommandLine } from '#test/support/processes/command-line.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { createProject } from '#test/support/worlds/project.ts';
import { startFaultProxy } from '#tools/local-cluster/fault-proxy.ts';
import { writeKubeconfig } from '#tools/local-cluster/kubeconfig.ts';

const NAMESPACE = 'sysdump';
const OTHER = 'sysdump-other';
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:default`;
const LIMIT_MS = 600_000;
const CANARY = 'cAnArY0123456789cAnArY0123456789';
const SIGNED = `X-Amz-Credential=${CANARY}&X-Amz-Signature=${CANARY}`;
/** The output of a careless process. */
const LINES = [
  `GET https://bucket.example.com/file?${SIGNED}`,
  `{"level":30,"headers":{"authorization":"Bearer ${CANARY}"},"token":"${CANARY}"}`,
  `AWS_SECRET_ACCESS_KEY=${CANARY}`,
  'the last line',
].join('\n');

/** Pods of other tests come and go during the dump, and may exceed its limit. */
function isOurs(what: string): boolean {
  const [folder = '', namespace = ''] = what.split('/');
  if (folder !== 'logs' && folder !== 'namespaces') return true;
  return [NAMESPACE, OTHER, RELEASE_NAMESPACE].includes(namespace);
}

const RESTRICTED = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  runAsUser: 65532,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

const chattyPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: NAMESPACE,
    name: 'chatty',
    labels: { [LABELS.partOf]: 'zipjobs' },
    annotations: { 'zipjobs.dev/task': JSON.stringify({ headers: { 'x-api-key': CANARY } }) },
  },
  spec: {
    restartPolicy: 'Never',
    containers: [
      {
        name: 'main',
        image: 'test-exits:1',
        securityContext: RESTRICTED,
        env: [
          { name: 'LINE', value: LINES },
          { name: 'DATABASE_PASSWORD', value: CANARY },
        ],
      },
    ],
  },
};

function secretSource(origin: string) {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: { namespace: NAMESPACE, name: 'inline' },
    spec: {
      bucketRef: { name: bucketResourceName('s3', `${NAMESPACE}-archives`) },
      key: 'inline.zip',
      metadata: JSON.stringify({ customer: CANARY }),
      files: [{ url: `${origin}/status/404?${SIGNED}`, filename: 'a' }],
      maxAttempts: 1,
      webhook: { url: `${origin}/hooks/${CANARY}?key=${CANARY}`, events: ['FAILED'] },
    },
  };
}

/** What a pod would continue with. */
const checkpoint = {
  apiVersion: GROUP_VERSION,
  kind: 'ZipCheckpoint',
  metadata: { namespace: NAMESPACE, name: 'inline' },
  spec: { zipJobUid: CANARY, activePodUid: CANARY },
};

describe('zipjobs sysdump', function () {
  this.timeout(LIMIT_MS);
  let flow: Flow;
  let dir: string;
  const life = new AsyncDisposableStack();

  before(async () => {
    flow = life.use(await startFlow(NAMESPACE));
    life.use(await createProject(flow.cluster, { namespace: OTHER }));
    dir = await mkdtemp(join(tmpdir(), 'sysdump-'));
    life.defer(() => rm(dir, { recursive: true }));
    const uuid = await flow.post([{ url: flow.origin.url(`/status/404?${SIGNED}`), filename: 'a' }]);
    const items = [secretSource(flow.origin.origin), chattyPod, checkpoint];
    // With kubectl, whose annotation repeats each object.
    await flow.cluster.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    });
    await flow.project.untilPhase(uuid, ['Failed'], 100_000);
    await flow.kubectl('wait', 'zipjob/inline', '--for=condition=Failed', '--timeout=60s');
    await until(
      'the pod to have ended',
      async () =>
        (await flow.kubectl('get', 'pod', 'chatty', '-o', 'jsonpath={.status.phase}')) === 'Succeeded',
    );
  });
  after(() => life.disposeAsync());

  async function unpack(zip: string): Promise<ReadonlyMap<string, string>> {
    const { entries } = readZip(await readFile(zip));
    return new Map(entries.map((entry) => [entry.name, contentOf(entry).toString()]));
  }

  /** Runs as a user who is bound to a cluster role, in one namespace or everywhere. */
  async function userWith(name: string, role: string, namespace?: string): Promise<string> {
    const binding = namespace === undefined ? 'clusterrolebinding' : 'rolebinding';
    await flow.cluster.kubectl([
      'create',
      binding,
      name,
      `--clusterrole=${role}`,
      `--user=${name}`,
      ...(namespace === undefined ? [] : ['-n', namespace]),
    ]);
    const right = { user: name, verb: 'list', resource: 'zipjobs.zipjobs.dev' };
    await untilAllowed(flow.cluster, { ...right, ...(namespace !== undefined && { namespace }) });
    return flow.cluster.kubeconfigFor({ commonName: name });
  }

  it('contains what support needs and no planted secret (H9)', async () => {
    const zip = join(dir, 'all.zip');
    const done = await runCommandLine({ kubeconfig: flow.cluster.kubeconfigPath }, [
      'sysdump',
      '--file',
      zip,
      '-o',
      'json',
    ]);
    expect(done.exitCode, done.stderr).to.equal(0);
    const response = JSON.parse(done.stdout) as {
      readonly projects: readonly string[];
      readonly missing: readonly { what: string }[];
    };
    expect(response.projects).to.include.members([NAMESPACE, OTHER]);
    const files = await unpack(zip);
    const { store } = flow.cluster;
    const secrets = [CANARY, store.secretAccessKey, flow.project.token, flow.project.webhookSecret];
    for (const [name, text] of files)
      for (const secret of secrets)
        expect(text.includes(secret), `${name} contains ${secret}`).to.equal(false);
    function of(name: string): string {
      return files.get(name) ?? '';
    }
    expect(of('summary.txt'))
      .to.match(/Chart: +zipjobs-\S+, in zipjobs-system/)
      .and.to.match(/Failed +\S+ +SourceNotFound/);
    expect(of(`namespaces/${NAMESPACE}/zipjobs.yaml`))
      .to.contain('SourceNotFound')
      .and.to.contain('inline.zip');
    expect(of(`namespaces/${NAMESPACE}/events.yaml`)).to.contain('kind: Event');
    expect(of(`namespaces/${RELEASE_NAMESPACE}/deployments.yaml`)).to.contain('zipjobs-controller');
    expect(of(`namespaces/${RELEASE_NAMESPACE}/leases.yaml`)).to.contain('holderIdentity');
    expect(of('cluster/customresourcedefinitions/zipjobs.zipjobs.dev.yaml')).to.contain('v1alpha1');
    expect(of('cluster/validatingadmissionpolicies.yaml')).to.contain('zipjobs-zipper-status');
    expect(of('cluster/nodes.yaml')).to.contain('kubelet');
    expect(of('settings.yaml')).to.contain('EGRESS_ALLOW_CIDRS: 127.0.0.0/8');
    expect(of(`logs/${NAMESPACE}/chatty/main.log`))
      .to.contain('the last line')
      .and.to.contain('bucket.example.com/file');
    expect(
      [...files.keys()].some((name) => name.startsWith(`logs/${RELEASE_NAMESPACE}/zipjobs-controller`)),
    ).to.equal(true);
    expect([...files.keys()].filter((name) => name.includes('secrets'))).to.deep.equal([]);
    // Their definition is there, but none of them.
    expect([...files.keys()].filter((name) => name.includes('zipcheckpoints'))).to.deep.equal([
      'cluster/customresourcedefinitions/zipcheckpoints.zipjobs.dev.yaml',
    ]);
    // The API server of a local cluster does not proxy requests to loopback.
    expect(
      response.missing.map(({ what }) => what).filter((what) => !what.startsWith('metrics/') && isOurs(what)),
      of('errors.txt'),
    ).to.deep.equal([]);
  });

  it('reads no Secret, so a user without access to Secrets gets a complete dump', async () => {
    await flow.cluster.kubectl([
      'create',
      'clusterrole',
      'all-but-secrets',
      '--verb=get,list',
      '--resource=zipjobs.zipjobs.dev,zipbuckets.zipjobs.dev,ziptokens.zipjobs.dev,zipprojects.zipjobs.dev',
      '--resource=pods,pods/log,events,resourcequotas,limitranges,serviceaccounts,configmaps,services,nodes',
      '--resource=deployments.apps,replicasets.apps,jobs.batch,leases.coordination.k8s.io',
      '--resource=roles.rbac.authorization.k8s.io,rolebindings.rbac.authorization.k8s.io,clusterroles.rbac.authorization.k8s.io,clusterrolebindings.rbac.authorization.k8s.io',
      '--resource=networkpolicies.networking.k8s.io,ingresses.networking.k8s.io',
      '--resource=validatingadmissionpolicies.admissionregistration.k8s.io,validatingadmissionpolicybindings.admissionregistration.k8s.io',
      '--resource=customresourcedefinitions.apiextensions.k8s.io',
    ]);
    const kubeconfig = await userWith('dumper', 'all-but-secrets');
    const zip = join(dir, 'no-secrets.zip');
    const done = await runCommandLine({ kubeconfig }, ['sysdump', '--file', zip]);
    expect(done.exitCode, done.stderr).to.equal(0);
    const errors = (await unpack(zip)).get('errors.txt') ?? '';
    const named = errors.split('\n').filter((line) => /^\S+\//.test(line));
    expect(
      named.filter((line) => !line.startsWith('metrics/') && isOurs(line)),
      errors,
    ).to.deep.equal([]);
  });

  it('contains what a user with permissions in one namespace can see, and reports the rest', async () => {
    const kubeconfig = await userWith('viewer', 'view', NAMESPACE);
    const zip = join(dir, 'partial.zip');
    const done = await runCommandLine({ kubeconfig }, ['sysdump', '-n', NAMESPACE, '--file', zip]);
    expect(done.exitCode, done.stderr).to.equal(0);
    expect(done.stderr).to.match(/partial: \d+ items are missing/);
    const files = await unpack(zip);
    expect(files.get('summary.txt')).to.match(/PARTIAL: \d+ items/);
    expect(files.get(`namespaces/${NAMESPACE}/zipjobs.yaml`)).to.contain('SourceNotFound');
    expect(files.get('errors.txt'))
      .to.contain(`namespaces/${NAMESPACE}/ziptokens.yaml`)
      .and.to.contain('403');
    expect([...files.keys()].filter((name) => name.includes(OTHER))).to.deep.equal([]);
  });

  it('writes into the working directory, never overwrites a file, and fails at once when the cluster is unreachable', async () => {
    const userName = { kubeconfig: flow.cluster.kubeconfigPath, cwd: dir };
    const first = await runCommandLine(userName, ['sysdump', '-n', NAMESPACE, '--file', 'twice.zip']);
    expect(first.exitCode, first.stderr).to.equal(0);
    const second = await runCommandLine(userName, ['sysdump', '--file', 'twice.zip']);
    expect(second.exitCode).to.equal(2);
    expect(second.stderr).to.contain('already exists');
    const stranger = await flow.cluster.kubeconfigFor({ token: 'unknown' });
    const third = await runCommandLine({ kubeconfig: stranger, cwd: dir }, ['sysdump', '--file', 'none.zip']);
    expect(third.exitCode).to.equal(5);
    expect(await readdir(dir))
      .to.include('twice.zip')
      .and.not.include('none.zip');
  });

  it('reports what it truncates', async () => {
    const zip = join(dir, 'small.zip');
    const args = ['sysdump', '--file', zip, '--max-objects', '1', '--log-lines', '1', '--max-size', '1'];
    const done = await runCommandLine({ kubeconfig: flow.cluster.kubeconfigPath }, args);
    expect(done.exitCode, done.stderr).to.equal(0);
    const files = await unpack(zip);
    expect(files.get('errors.txt')).to.contain('truncated after 1 objects');
    expect(files.get(`logs/${NAMESPACE}/chatty/main.log`)).to.equal('the last line\n');
  });

  it('leaves no file when it is interrupted', async () => {
    const folder = await mkdtemp(join(dir, 'interrupted-'));
    // Delays every log until the interrupt.
    await using proxy = await startFaultProxy({
      upstream: flow.cluster.apiServer.url,
      tls: await apiServerTls(flow.cluster),
      judge: ({ path }) => (path.includes('/log?') ? { kind: 'delay', ms: LIMIT_MS } : undefined),
    });
    const token = await flow.kubectl('create', 'token', 'default', `--duration=${LIMIT_MS / 1000}s`);
    const namespaced = { verb: 'list', resource: 'pods', namespace: NAMESPACE };
    await flow.kubectl('create', 'rolebinding', 'interrupted', '--clusterrole=view', `--user=${ACCOUNT}`);
    await untilAllowed(flow.cluster, { user: ACCOUNT, ...namespaced });
    const kubeconfig = join(dir, 'interrupted.kubeconfig');
    const { caPath } = flow.cluster.apiServer;
    await writeKubeconfig(kubeconfig, { url: proxy.url, caPath, user: { token: token.trim() } });
    const interrupt = new AbortController();
    const done = await runCommandLine(
      { kubeconfig, cwd: folder },
      ['sysdump', '-n', NAMESPACE, '--file', 'dump.zip'],
      {
        signal: interrupt.signal,
        onNote: (text) => {
          if (text.startsWith('reading log of')) interrupt.abort();
        },
      },
    );
    expect(done.exitCode).to.equal(130);
    expect(await readdir(folder)).to.deep.equal([]);
  });
});

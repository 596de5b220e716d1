/** The Helm release: installed, removed and installed again, with the roles of the chart. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { FINALIZER, PLURALS } from '#crds/api-group.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { documentedCommands } from '#test/support/documented-commands.ts';
import { documentedKubectl } from '#test/support/documented-kubectl.ts';
import { createCommandLine } from '#test/support/processes/command-line.ts';
import { installChart, RELEASE, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const LIMIT_MS = 300_000;
const NAMESPACE = 'released';

/** An entry of the audit log: user, verb, object and response. */
interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number; readonly message?: string };
}

const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};

/** An entry of `helm history`. */
interface Revision {
  readonly revision: number;
  readonly status: string;
}

interface Origin extends AsyncDisposable {
  readonly url: string;
  /** Its body never ends. */
  readonly slowUrl: string;
}

async function startOrigin(): Promise<Origin> {
  const server = createServer((request, response) => {
    if (request.url === '/slow') response.writeHead(200, { 'content-length': '1000000' }).write('hello');
    else response.end('hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/a`,
    slowUrl: `http://127.0.0.1:${port}/slow`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the release', function () {
  this.timeout(LIMIT_MS);
  const life = new AsyncDisposableStack();
  let dir: string;
  let cluster: Cluster;
  let project: Project;
  let origin: Origin;
  let baseUrl: string;

  before(async () => {
    origin = life.use(await startOrigin());
    dir = await mkdtemp(join(tmpdir(), 'zipjobs-release-'));
    life.defer(() => rm(dir, { recursive: true }));
    const policy = join(dir, 'audit-policy.yaml');
    await writeFile(policy, stringify(auditPolicy));
    const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${join(dir, 'audit.log')}`];
    cluster = life.use(await startCluster({ apiServerFlags: flags }));
  });
  after(() => life.disposeAsync());

  function post(key: string, url: string): Promise<string> {
    return postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key,
      urls: [{ url, filename: 'a' }],
    });
  }

  async function names(kind: string): Promise<string> {
    return (await cluster.kubectl(['get', kind, '-A', '-o', 'name', '--ignore-not-found'])).stdout;
  }

  /** Denied requests of our processes. */
  async function refusals(): Promise<readonly string[]> {
    return (
      (await readFile(join(dir, 'audit.log'), 'utf8'))
        .split('\n')
        // Text after the last line break is an incomplete line.
        .slice(0, -1)
        .map((line) => JSON.parse(line) as AuditLine)
        .filter(({ user }) => /^system:serviceaccount:.*:zipjobs-/.test(user.username))
        .filter(({ responseStatus }) => responseStatus?.code === 403)
        .map(({ verb, user, objectRef, responseStatus }) => {
          const what = [objectRef?.resource, objectRef?.subresource, objectRef?.name].join('/');
          return `${user.username} ${verb} ${what}: ${responseStatus?.message ?? ''}`;
        })
    );
  }

  it('installs, and runs a job with its own roles', async () => {
    // The shortest deadline that the chart accepts, with which the removal below succeeds.
    const installation = await installChart(cluster, { uninstall: { deadlineSeconds: 60 } });
    project = life.use(await createProject(cluster, { namespace: NAMESPACE }));
    baseUrl = await installation.apiUrl();
    await untilTokenKnown(baseUrl, project.token);
    const uuid = await post('first.zip', origin.url);
    const { status } = await project.untilPhase(uuid, ['Succeeded', 'Failed', 'Cancelled']);
    expect(status?.phase, JSON.stringify(status?.failure)).to.equal('Succeeded');
    // A zipper requests its status until it is active, and is rejected until then.
    const unexpected = (await refusals()).filter((line) => !line.includes('not the active pod'));
    expect(unexpected).to.deep.equal([]);
  });

  const FINALIZERS = '{range .items[*]}{.metadata.finalizers}{end}';
  async function ofProject(kind: string, path: string): Promise<string> {
    return (await cluster.kubectl(['get', kind, '-n', NAMESPACE, '-o', `jsonpath=${path}`])).stdout;
  }

  it('works as before after an uninstall that failed (X51)', async () => {
    const inRelease = [RELEASE, '-n', RELEASE_NAMESPACE];
    // Too short for two checks.
    const failed = await cluster.helm(['uninstall', ...inRelease, '--timeout', '3s']).then(() => '', String);
    expect(failed).to.contain('ClusterError: helm uninstall');
    const history = await cluster.helm(['history', ...inRelease, '--output', 'json']);
    const [last] = (JSON.parse(history.stdout) as readonly Revision[]).slice(-1);
    expect(last).to.include({ status: 'uninstalling' });
    await cluster.helm(['rollback', RELEASE, String(last?.revision), '-n', RELEASE_NAMESPACE]);
    const status = await cluster.helm(['status', ...inRelease, '--output', 'json']);
    expect(JSON.parse(status.stdout)).to.have.nested.property('info.status', 'deployed');
    const uuid = await post('after-failure.zip', origin.url);
    const job = await project.untilPhase(uuid, ['Succeeded', 'Failed', 'Cancelled']);
    expect(job.status?.phase, JSON.stringify(job.status?.failure)).to.equal('Succeeded');
  });

  it('can be removed while jobs run, leaves definitions and custom resources and nothing else, and no finalizer that only a controller would remove (F14, X55)', async () => {
    const [first, second] = [await post('one.zip', origin.slowUrl), await post('one.zip', origin.slowUrl)];
    await project.untilPhase(first, ['Running']);
    await project.untilPhase(second, ['Queued']);
    expect(await ofProject('zipjobs', FINALIZERS)).to.contain(FINALIZER);
    const kinds = Object.values(PLURALS);
    const before = await Promise.all(kinds.map(names));
    expect(before.join('')).to.contain('zipjob.zipjobs.dev/zip-');
    await cluster.helm(['uninstall', RELEASE, '-n', RELEASE_NAMESPACE, '--wait', '--timeout', '200s']);
    expect(await Promise.all(kinds.map(names))).to.deep.equal(before);
    for (const kind of ['zipjobs', 'zipbuckets', 'zipprojects'])
      expect(await ofProject(kind, FINALIZERS), kind).not.to.contain(FINALIZER);
    const owned =
      'clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings';
    const left = await cluster.kubectl(['get', owned, '-l', 'app.kubernetes.io/name=zipjobs', '-o', 'name']);
    expect(left.stdout).to.equal('');
    const hook = 'serviceaccounts,jobs,roles,rolebindings,clusterroles,clusterrolebindings';
    const ofHook = await cluster.kubectl(
      `get ${hook} -A -l app.kubernetes.io/component=uninstall -o name`.split(' '),
    );
    expect(ofHook.stdout).to.equal('');
    const kindsOfRelease = 'deployments,services,serviceaccounts,roles,rolebindings';
    const flags = `get ${kindsOfRelease} -n ${RELEASE_NAMESPACE} -l app.kubernetes.io/name=zipjobs -o name`;
    const inNamespace = await cluster.kubectl(flags.split(' '));
    expect(inNamespace.stdout).to.equal('');
    // A reinstalled release would wait for it.
    await until('the Lease to be deleted with the release', async () => {
      const leases = await cluster.kubectl(['get', 'leases', '-n', RELEASE_NAMESPACE, '-o', 'name']);
      return leases.stdout === '';
    });
  });

  it('takes over the definitions and custom resources when it is installed again', async () => {
    const installation = await installChart(cluster);
    baseUrl = await installation.apiUrl();
    await untilTokenKnown(baseUrl, project.token);
    expect(await names('zipjobs')).to.contain('zipjob.zipjobs.dev/zip-');
  });

  it('can be removed without hooks after zipjobs uninstall, while jobs run (X12)', async () => {
    const job = await post('without-hooks.zip', origin.slowUrl);
    await project.untilPhase(job, ['Running']);
    const administrator = createCommandLine({ kubeconfig: cluster.kubeconfigPath });
    const { stdout } = await administrator.succeed(['uninstall', '--yes']);
    expect(stdout).to.contain(`Stopped Deployment "zipjobs-controller" in "${RELEASE_NAMESPACE}".`);
    await cluster.helm(['uninstall', RELEASE, '-n', RELEASE_NAMESPACE, '--no-hooks', '--wait']);
    for (const kind of ['zipjobs', 'zipbuckets', 'zipprojects'])
      expect(await ofProject(kind, FINALIZERS), kind).not.to.contain(FINALIZER);
    // After the release, it finds nothing to do.
    const again = await administrator.succeed(['uninstall', '--yes']);
    expect(again.stdout).to.equal('Removed the finalizer of 0 objects.\n');
  });

  it('can be installed under another name by the documented commands, and keeps its projects', async () => {
    await installChart(cluster);
    const documented = await documentedCommands('docs/upgrade.md', '### Install under another name');
    const commands = documented.replaceAll('values.yaml', join(dir, 'values.yaml'));
    const PATH = `${join(cluster.dir, 'bin')}:${process.env['PATH'] ?? ''}`;
    await promisify(execFile)('sh', ['-euc', commands], { env: { ...process.env, PATH } });
    const address = await cluster.readyPodAddress('zips-system', 'app.kubernetes.io/component=api');
    baseUrl = `http://${address}:8080`;
    await untilTokenKnown(baseUrl, project.token);
    const uuid = await post('other-name.zip', origin.url);
    const { status } = await project.untilPhase(uuid, ['Succeeded', 'Failed', 'Cancelled']);
    expect(status?.phase, JSON.stringify(status?.failure)).to.equal('Succeeded');
    await cluster.helm(['uninstall', 'zips', '-n', 'zips-system', '--wait', '--timeout', '200s']);
  });

  it('allows the deletion of the namespace of a project after its removal', async () => {
    await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--timeout=200s']);
  });

  it('has its definitions deleted by the documented command (X6)', async () => {
    const definitions = 'get customresourcedefinitions -o name'.split(' ');
    expect((await cluster.kubectl(definitions)).stdout).to.contain('.zipjobs.dev');
    const command = await documentedKubectl('docs/upgrade.md', 'delete crd');
    await cluster.kubectl([...command, '--timeout=60s']);
    expect((await cluster.kubectl(definitions)).stdout).not.to.contain('.zipjobs.dev');
  });
});

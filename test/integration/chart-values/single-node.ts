/** A store at the address of the API server, as on a cluster with one node, with the commands of docs/single-node.md. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { bucketResourceName } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import { documentedCommands } from '#test/support/documented-commands.ts';
import { ownAddress } from '#test/support/own-address.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { startCuttingProxy } from '#test/support/servers/cutting-proxy.ts';
import { createProject } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import { testBucket } from '#test/support/worlds/test-bucket.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const PAGE = 'docs/single-node.md';
const HEADING = '## Allow the store';
const NAMESPACE = 'single-node';
const BUCKET = 'single-node-bucket';
const RESOURCE = bucketResourceName('s3', BUCKET);

/** The local API server has loopback addresses only, to which other rules apply. */
function endpointsAt(address: string) {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'kubernetes' },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address] }],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  };
}

async function documentedValues(): Promise<string> {
  const [, section = ''] = (await readFile(PAGE, 'utf8')).split(`\n${HEADING}\n`);
  return /^```yaml\n(.*?)^```$/ms.exec(section)?.[1] ?? '';
}

export function describeSingleNode(): void {
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let own: string;
  let port: number;
  let home: string;

  before(async function () {
    own = ownAddress() ?? this.skip();
    life.defer(forgetInstallation);
    cluster = await sharedCluster();
    await cluster.apply([endpointsAt(own)]);
    life.defer(async () => {
      await cluster.kubectl(['delete', 'endpointslice', 'kubernetes', '-n', 'default']);
    });
    const storePort = Number(new URL(cluster.store.endpoint).port);
    ({ port } = life.use(await startCuttingProxy(storePort, () => undefined, own)));
    const store = {
      allowHttp: true,
      allowCidrs: ['127.0.0.0/8', `${own}/32`],
      allowedHosts: ['127.0.0.1', own],
    };
    await installChart(cluster, { controller: { replicas: 1 }, store });
    life.use(await createProject(cluster, { namespace: NAMESPACE }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    await cluster.createBucket(BUCKET);
    home = await mkdtemp(join(tmpdir(), 'single-node-'));
    life.defer(() => rm(home, { recursive: true }));
  });
  after(() => life.disposeAsync());

  /** Runs these commands of the page with the addresses of this machine. */
  async function run(commands: string): Promise<string> {
    const { accessKeyId, secretAccessKey } = cluster.store;
    await writeFile(
      join(home, here('reports-credentials.json')),
      JSON.stringify({ accessKeyId, secretAccessKey }),
    );
    const values = join(home, 'single-node.yaml');
    await writeFile(values, here(await documentedValues()));
    const PATH = `${resolve('node_modules/.bin')}:${join(cluster.dir, 'bin')}:${process.env['PATH'] ?? ''}`;
    const env = { ...process.env, PATH, HOME: home, KUBECONFIG: cluster.kubeconfigPath };
    const script = here(commands).replaceAll('single-node.yaml', values);
    return (await promisify(execFile)('sh', ['-euc', script], { env })).stdout;
  }
  function here(text: string): string {
    return text
      .replaceAll('192.168.1.10:9000', `${own}:${port}`)
      .replaceAll('192.168.1.10', own)
      .replaceAll('reports', BUCKET)
      .replaceAll('-n acme', `-n ${NAMESPACE}`);
  }
  async function readyCondition() {
    const { status } = await testBucket(cluster, NAMESPACE, RESOURCE);
    return findCondition(status?.conditions, 'Ready');
  }

  it('is refused without its port, and reached after the commands of docs/single-node.md (X56)', async () => {
    const commands = (await documentedCommands(PAGE, HEADING)).match(/.+/g) ?? [];
    const [read = '', upgrade = '', create = ''] = commands;
    expect(commands).to.have.length(3);
    expect(await run(read))
      .to.contain(own)
      .and.contain('6443');
    // Ends with the exit code of its failed test.
    await run(`${create} || true`);
    const refused = await readyCondition();
    expect(refused, JSON.stringify(refused)).to.include({ status: 'False', reason: 'BucketMisconfigured' });
    expect(refused?.message).to.contain(`Could not connect to ${own}: it has the address of the API server`);
    await run(upgrade);
    await run('zipjobs bucket test reports -n acme');
    expect(await readyCondition()).to.include({ status: 'True', reason: 'BucketTested' });
    const policy = await cluster.read<{ readonly spec: { readonly egress: readonly unknown[] } }>(
      `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies/zipjobs-zipper`,
    );
    expect(policy.spec.egress).to.deep.include({
      to: [{ ipBlock: { cidr: `${own}/32` } }],
      ports: [{ protocol: 'TCP', port }],
    });
  });
}

/** Runs the commands of the README for a trial on kind, with charts/zipjobs/examples/trial.yaml, on a real node. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { createVisitor } from '#test/support/servers/dashboard-server.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { until } from '#test/support/until.ts';
import { realCluster, requireNode } from '#test/support/worlds/real-cluster.ts';
import { serviceUrl, uninstallFromNode } from '#test/support/worlds/real-installation.ts';
import { ADDRESSES } from '#tools/real-node/addresses.ts';
import { IMAGE_TAG, REGISTRY, STORE_IMAGE } from '#tools/real-node/images.ts';
import { outsideUrl, type RealCluster } from '#tools/real-node/real-cluster.ts';

const LIMIT_MS = 240_000;
const run = promisify(execFile);

/** The commands of the README from this one to the end of its block. */
async function commandsFrom(start: string): Promise<string> {
  const [, commands = ''] = (await readFile('README.md', 'utf8')).split(`\n${start}`);
  return `${start}${commands.split('\n```')[0]}`;
}

interface Posted {
  readonly data: { readonly uuid: string; readonly status: string };
}

describe('the trial of the README on a real node', function () {
  this.timeout(LIMIT_MS);
  const life = new AsyncDisposableStack();
  let cluster: RealCluster;
  let uuid: string;

  before(async function () {
    requireNode(this);
    await requirePrograms(this, ['curl']);
    cluster = await realCluster();
    await uninstallFromNode(cluster);
  });
  after(() => life.disposeAsync());

  async function shell(commands: string): Promise<string> {
    const env = {
      PATH: `${join(cluster.dir, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: cluster.dir,
      KUBECONFIG: cluster.kubeconfigPath,
    };
    return (await run('sh', ['-euc', commands], { env, timeout: LIMIT_MS })).stdout;
  }

  async function storeAddress(): Promise<string> {
    const path = 'jsonpath={.spec.clusterIP}';
    return (await cluster.kubectl(['get', 'service', 'store', '-n', 'demo', '-o', path])).stdout;
  }

  it('makes an archive with one curl after helm install (Q-D2)', async () => {
    const origin = life.use(await startFileOrigin());
    const addresses: readonly (readonly [documented: string, here: string])[] = [
      [
        'image.registry=localhost',
        `image.registry=${REGISTRY},image.tag=${IMAGE_TAG},egress.allowCidrs={${ADDRESSES.outside}/32}`,
      ],
      ['ghcr.io/versity/versitygw:v1.8.0', STORE_IMAGE],
      ['https://example.com/', outsideUrl(origin.url('/gen/2000/1'))],
      ['kubectl get zipjobs -n demo --watch', "trap 'kill $!' EXIT; kubectl get zipjobs -n demo"],
    ];
    let commands = await commandsFrom('helm install zipjobs charts/zipjobs -n zipjobs-system');
    for (const [documented, here] of addresses) {
      expect(commands).to.contain(documented);
      commands = commands.replaceAll(documented, here);
    }
    const stdout = await shell(commands);
    const [, json = ''] = /^(\{"data":.*\})/m.exec(stdout) ?? [];
    const { data } = JSON.parse(json) as Posted;
    expect(data.status).to.equal('none');
    ({ uuid } = data);
    expect(stdout).to.contain(`zip-${uuid}`);
    const condition = '--for=jsonpath={.status.phase}=Succeeded';
    await cluster.kubectl(['wait', 'zipjob', `zip-${uuid}`, '-n', 'demo', condition, '--timeout=120s']);
    const keys = { accessKeyId: 'trial', secretAccessKey: 'trial-secret', region: 'us-east-1' };
    using bucket = createBucketReader(
      { endpoint: `http://${await storeAddress()}:9000`, ...keys },
      'archives',
    );
    const { entries } = readZip(await bucket.bytes('hello.zip'));
    expect(entries.map(({ name }) => name)).to.deep.equal(['example.html', 'hello.txt']);
    const [page, hello] = entries.map((entry) => contentOf(entry));
    expect(page?.equals(generatedBytes(2000, 1))).to.equal(true);
    expect(hello?.toString()).to.equal('Hello');
  });

  it('shows the archive in the dashboard (Q-D2)', async () => {
    const [command = ''] = (await commandsFrom('kubectl create token visitor')).split('\n');
    const token = (await shell(command)).trim();
    const visitor = createVisitor(await serviceUrl(cluster, 'dashboard'));
    expect((await visitor.signIn(token)).status).to.equal(303);
    const page = await visitor.get(`/projects/demo/jobs/zip-${uuid}`);
    expect(page.status).to.equal(200);
    expect(page.text).to.contain('hello.zip');
  });

  it('leaves no project after helm uninstall (Q-D2)', async () => {
    await uninstallFromNode(cluster);
    await until('the namespace to be gone', async () => {
      const { stderr } = await cluster.kubectl(['get', 'namespace', 'demo'], { allowFailure: true });
      return stderr.includes('"demo" not found');
    });
  });
});

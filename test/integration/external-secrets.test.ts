/** The commands of docs/external-secrets.md. The test does the part of the External Secrets Operator. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { bucketSecretName } from '#crds/api-group.ts';
import { documentedCommands } from '#test/support/documented-commands.ts';
import { until } from '#test/support/until.ts';
import { createProject } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster, Manifest } from '#tools/local-cluster/cluster-types.ts';

const PAGE = 'docs/external-secrets.md';
const NAMESPACE = 'external-secrets';
const BUCKET = 'external-keys';
const NAME = bucketSecretName(`s3-${BUCKET}`);
const PATH = `/apis/external-secrets.io/v1/namespaces/${NAMESPACE}/externalsecrets/${NAME}`;

/** The fields of an ExternalSecret that the page uses. */
interface ExternalSecret extends Manifest {
  readonly spec: {
    readonly target: { readonly name: string };
    readonly data: readonly {
      readonly secretKey: string;
      readonly remoteRef: { readonly key: string; readonly property: string };
    }[];
  };
}

const definition: Manifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'externalsecrets.external-secrets.io' },
  spec: {
    group: 'external-secrets.io',
    scope: 'Namespaced',
    names: { plural: 'externalsecrets', singular: 'externalsecret', kind: 'ExternalSecret' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('a bucket whose keys the External Secrets Operator writes', function () {
  this.timeout(200_000);
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let home: string;

  before(async () => {
    cluster = await sharedCluster();
    await sharedInstallation();
    await cluster.apply([definition]);
    life.defer(async () => {
      await cluster.kubectl(['delete', 'crd', definition.metadata.name, '--wait=false']);
    });
    life.use(await createProject(cluster, { namespace: NAMESPACE }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    await cluster.createBucket(BUCKET);
    home = await mkdtemp(join(tmpdir(), 'external-secrets-'));
    life.defer(() => rm(home, { recursive: true }));
  });
  after(() => life.disposeAsync());

  function here(text: string): string {
    return text
      .replaceAll('acme/reports', 'remote')
      .replaceAll('reports', BUCKET)
      .replaceAll('acme', NAMESPACE);
  }
  async function run(commands: string): Promise<string> {
    const path = `${resolve('node_modules/.bin')}:${join(cluster.dir, 'bin')}:${process.env['PATH'] ?? ''}`;
    const env = { ...process.env, PATH: path, HOME: home, KUBECONFIG: cluster.kubeconfigPath };
    const script = here(commands);
    return (await promisify(execFile)('sh', ['-euc', script], { env, cwd: home })).stdout;
  }

  /** Writes the Secret that the ExternalSecret asks for, once it exists. */
  async function operate(remote: Readonly<Record<string, string>>): Promise<void> {
    const wanted = await until('the ExternalSecret', () =>
      cluster.read<ExternalSecret>(PATH).catch(() => undefined),
    );
    const { target, data } = wanted.spec;
    expect(data.map(({ remoteRef }) => remoteRef.key)).to.deep.equal(['remote', 'remote']);
    const stringData = Object.fromEntries(
      data.map(({ secretKey, remoteRef }) => [secretKey, remote[remoteRef.property] ?? '']),
    );
    const metadata = { namespace: NAMESPACE, name: target.name };
    await cluster.apply([{ apiVersion: 'v1', kind: 'Secret', metadata, stringData }]);
    const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    const patch = ['--type=merge', '-p', JSON.stringify(ready)];
    await cluster.kubectl(['patch', 'externalsecret', NAME, '-n', NAMESPACE, ...patch]);
  }

  it('passes its test after the commands of docs/external-secrets.md', async () => {
    const { accessKeyId, secretAccessKey, endpoint, region } = cluster.store;
    const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(await readFile(PAGE, 'utf8')) ?? [];
    const objects = here(yaml).replace('region: eu-central-1', `region: ${region}, endpoint: "${endpoint}"`);
    await writeFile(join(home, here('reports.yaml')), objects);
    const commands = await documentedCommands(PAGE, '## Create a bucket');
    const [stdout] = await Promise.all([run(commands), operate({ accessKeyId, secretAccessKey })]);
    expect(stdout).to.match(/Last test: +ok/);
  });

  it('is refreshed by the documented command', async () => {
    const text = await readFile(PAGE, 'utf8');
    const [refresh = ''] = /kubectl annotate externalsecret .*/.exec(text) ?? [];
    await run(refresh);
    const { metadata } = await cluster.read<Manifest>(PATH);
    expect(metadata).to.have.nested.property('annotations.force-sync').that.matches(/^\d+$/);
  });
});

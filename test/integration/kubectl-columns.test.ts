/** What users of kubectl see: the columns of `kubectl get`, and the texts of `kubectl explain`. */
import { expect } from 'chai';
import { GROUP_VERSION, type Kind, PLURALS } from '#crds/api-group.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const NAMESPACE = 'kubectl-columns';
const KINDS = Object.keys(PLURALS) as readonly Kind[];

type Schema = Readonly<Record<string, unknown>>;

function propertiesOf(schema: Schema): readonly (readonly [string, Schema])[] {
  const { properties = {}, items, additionalProperties } = schema;
  if (isRecord(items)) return propertiesOf(items);
  if (isRecord(additionalProperties)) return propertiesOf(additionalProperties);
  return Object.entries(properties as Readonly<Record<string, Schema>>);
}

/** Paths of the fields that have fields, such as `zipjob.spec.files`. */
function objectsIn(schema: Schema, path: string): readonly string[] {
  const fields = propertiesOf(schema);
  if (fields.length === 0) return [];
  return [path, ...fields.flatMap(([name, field]) => objectsIn(field, `${path}.${name}`))];
}

describe('kubectl', function () {
  this.timeout(180_000);
  let cluster: Cluster;

  before(async () => {
    cluster = await sharedCluster();
    await sharedInstallation();
    await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }]);
  });

  async function kubectl(...args: readonly string[]): Promise<string> {
    return (await cluster.kubectl(['-n', NAMESPACE, ...args])).stdout;
  }
  async function create(kind: Kind, name: string, spec: object): Promise<void> {
    const object = { apiVersion: GROUP_VERSION, kind, metadata: { namespace: NAMESPACE, name }, spec };
    await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(object) });
  }
  async function report(kind: Kind, name: string, status: object): Promise<void> {
    const patch = JSON.stringify({ status });
    await kubectl('patch', PLURALS[kind], name, '--subresource=status', '--type=merge', '-p', patch);
  }
  /** The row of an object by column. */
  async function row(kind: Kind, name: string, ...args: readonly string[]) {
    const [header = '', line = ''] = (await kubectl('get', PLURALS[kind], name, ...args)).split('\n');
    const starts = [...header.matchAll(/\S+(?: \S+)*/g)].map(({ 0: title, index }) => ({ title, index }));
    return Object.fromEntries(
      starts.map(({ title, index }, at) => [title, line.slice(index, starts[at + 1]?.index).trim()]),
    );
  }

  it('shows key, percentage, human size and reason of a job (Q-O3)', async () => {
    const spec = {
      bucketRef: { name: 's3-reports' },
      key: 'orders/may.zip',
      files: [{ url: 'https://example.com/', filename: 'a' }],
      suspend: true,
    };
    const progress = {
      podUid: 'p',
      filesTotal: 10,
      filesDone: 3,
      bytesRead: 4,
      bytesUploaded: 629_145_600,
      display: '3/10',
      percent: '40%',
      size: '600.0 MiB',
      updatedAt: '2026-01-01T00:00:00Z',
    };
    const message = 'file 1: the source responded with status 404';
    const status = { phase: 'Failed', reason: 'SourceNotFound', message, duration: '25s', progress };
    await create('ZipJob', 'failed', spec);
    await report('ZipJob', 'failed', status);
    const shown = await row('ZipJob', 'failed');
    expect(Object.keys(shown)).to.deep.equal([
      'NAME',
      'KEY',
      'PHASE',
      'REASON',
      'PROGRESS',
      'FILES',
      'SIZE',
      'DURATION',
      'AGE',
    ]);
    expect(shown).to.include({
      KEY: 'orders/may.zip',
      PHASE: 'Failed',
      REASON: 'SourceNotFound',
      PROGRESS: '40%',
      FILES: '3/10',
      SIZE: '600.0 MiB',
      DURATION: '25s',
    });
    expect(await row('ZipJob', 'failed', '-o', 'wide')).to.include({
      BUCKET: 's3-reports',
      MESSAGE: message,
    });
  });

  it('says why a bucket and a project are not ready, also before the first test or report (Q-O3)', async () => {
    await create('ZipBucket', 's3-new', { service: 's3', bucketName: 'new', region: 'r' });
    expect(await row('ZipBucket', 's3-new')).to.include({
      BUCKET: 'new',
      SERVICE: 's3',
      READY: 'Unknown',
      REASON: 'NotTested',
    });
    // The status of the controller may have no condition.
    await report('ZipBucket', 's3-new', { activeJobs: 3 });
    const wide = await row('ZipBucket', 's3-new', '-o', 'wide');
    expect(wide).to.include({ READY: 'Unknown', REASON: 'NotTested' });
    expect(wide['MESSAGE']).to.equal('The bucket was not tested yet.');
    await create('ZipProject', 'project', {});
    const project = await row('ZipProject', 'project');
    expect(project['READY']).to.match(/^(?:True|False|Unknown)$/);
    expect(project['REASON']).to.match(/^\w+$/);
  });

  it('uses the same words for webhooks and addresses of every kind, and words for permissions (Q-O3)', async () => {
    await create('ZipProject', 'project', {});
    const endpoint = 'https://s3.example.com';
    await create('ZipBucket', 's3-own', { service: 's3', bucketName: 'own', region: 'r', endpoint });
    expect(await row('ZipProject', 'project')).to.have.property('WEBHOOK');
    expect(await row('ZipProject', 'project', '-o', 'wide')).to.have.property('ENDPOINT');
    expect((await row('ZipBucket', 's3-own', '-o', 'wide'))['ENDPOINT']).to.equal(endpoint);
    const token = { sha256: '0'.repeat(64), masked: 'zj_a...wxyz', displayName: 'ci' };
    for (const [name, permissions] of [
      ['both', ['read', 'create']],
      ['reader', ['read']],
    ] as const)
      await create('ZipToken', name, { ...token, permissions });
    expect(await row('ZipToken', 'both')).to.include({
      'DISPLAY NAME': 'ci',
      CREATE: 'create',
      READ: 'read',
    });
    expect(await row('ZipToken', 'reader')).to.include({ CREATE: '', READ: 'read' });
  });

  it('explains every field of every kind (Q-P5)', async () => {
    const document = JSON.parse(await kubectl('get', '--raw', `/openapi/v3/apis/${GROUP_VERSION}`)) as {
      readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    };
    const schemas = Object.entries(document.components.schemas);
    const paths = KINDS.flatMap((kind) => {
      const [, schema = {}] = schemas.find(([name]) => name.endsWith(`.${kind}`)) ?? [];
      const fields = Object.fromEntries(propertiesOf(schema));
      return ['spec', 'status'].flatMap((part) => objectsIn(fields[part] ?? {}, `${PLURALS[kind]}.${part}`));
    });
    expect(paths.length).to.be.greaterThan(30);
    const empty: string[] = [];
    await inParallel(paths.length, 4, async (index) => {
      const text = await kubectl('explain', paths[index] ?? '');
      if (/<no description>|<empty>/.test(text)) empty.push(paths[index] ?? '');
    });
    expect(empty).to.deep.equal([]);
    expect(await kubectl('explain', 'zipjob.spec', '--recursive')).to.contain('bucketRef');
  });
});

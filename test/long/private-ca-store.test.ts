/** MinIO as store and token service over HTTPS, with a certificate of a private authority. */
import { expect } from 'chai';
import { bucketResourceName, bucketSecretName, GROUP_VERSION } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { type BucketReader, createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { type IssuerFront, startIssuerFront } from '#test/support/servers/issuer-front.ts';
import { AUDIENCE, type Minio, ROLE, startTestMinio } from '#test/support/servers/minio.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { startTlsFront, type TlsFront } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow, untilTokenKnown } from '#test/support/worlds/flow.ts';
import { applyObjects } from '#test/support/worlds/project.ts';
import { resetInstallation } from '#test/support/worlds/shared-installation.ts';
import { testBucket } from '#test/support/worlds/test-bucket.ts';
import { createBucket } from '#tools/local-cluster/store.ts';

const NAMESPACE = 'private-ca-store';
const CA = PRIVATE_TLS.authority;
const CONFIG_MAP = { name: 'store-ca', key: 'ca.crt' };
const BYTES = 100_000;

/** One bucket with stored keys and one with a role. */
const KEYS = `${NAMESPACE}-keys`;
const WITH_ROLE = `${NAMESPACE}-role`;

describe('a store with a private certificate authority', function () {
  this.timeout(40 * 60_000);
  const life = new AsyncDisposableStack();
  const readers = new Map<string, BucketReader>();
  let flow: Flow;
  let minio: Minio;
  let source: TlsFront;
  let baseUrl: string;

  before(async function () {
    flow = life.use(await startFlow(NAMESPACE));
    baseUrl = flow.baseUrl;
    const issuer: IssuerFront = life.use(await startIssuerFront(flow.cluster));
    minio = life.use(await startTestMinio(this, { dir: flow.cluster.dir, issuer, tls: PRIVATE_TLS }));
    source = life.use(await startTlsFront(flow.origin.origin));
    for (const name of [KEYS, WITH_ROLE]) {
      await createBucket(minio, name);
      readers.set(name, life.use(createBucketReader(minio, name)));
    }
    await applyObjects(flow.cluster, [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: NAMESPACE, name: bucketSecretName(bucketResourceName('s3', KEYS)) },
        stringData: { accessKeyId: minio.accessKeyId, secretAccessKey: minio.secretAccessKey },
      },
    ]);
  });
  after(() => life.disposeAsync());

  /** Creates or changes the bucket, tests it and returns its condition Ready. */
  const readyAfter = async (name: string, change: Partial<ZipBucket['spec']> = {}) => {
    const resource = bucketResourceName('s3', name);
    const webIdentity = { roleArn: ROLE, audience: AUDIENCE, stsEndpoint: minio.endpoint };
    const spec = {
      service: 's3',
      bucketName: name,
      region: minio.region,
      endpoint: minio.endpoint,
      ...(name === WITH_ROLE && { credentials: { webIdentity } }),
      ...change,
    };
    const metadata = { namespace: NAMESPACE, name: resource };
    await applyObjects(flow.cluster, [{ apiVersion: GROUP_VERSION, kind: 'ZipBucket', metadata, spec }]);
    const { status } = await testBucket(flow.cluster, NAMESPACE, resource);
    return findCondition(status?.conditions, 'Ready');
  };
  const statusAfter = async (bucket: string, key: string, from: string) => {
    const uuid = await postJob(baseUrl, flow.project.token, {
      bucket_name: bucket,
      key,
      urls: [{ url: `${from}/gen/${BYTES}/1`, filename: 'a.bin' }],
    });
    const { status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed']);
    return status;
  };
  const expectArchive = async (bucket: string, key: string, from: string): Promise<void> => {
    const status = await statusAfter(bucket, key, from);
    expect(status?.phase, JSON.stringify(status)).to.equal('Succeeded');
    const { entries } = readZip((await readers.get(bucket)?.bytes(key)) ?? Buffer.alloc(0));
    expect(entries.map(({ name }) => name)).to.deep.equal(['a.bin']);
    expect(entries.map(contentOf)).to.deep.equal([generatedBytes(BYTES, 1)]);
  };

  it('is refused without its authority, and bucket and job say what to do (X22)', async () => {
    const remedy =
      'the certificate of the store is signed by an unknown authority; add the authority to spec.caBundle of the bucket';
    const ready = await readyAfter(KEYS);
    expect(ready, JSON.stringify(ready)).to.include({ status: 'False', reason: 'BucketMisconfigured' });
    expect(ready?.message).to.contain(remedy);
    const status = await statusAfter(KEYS, 'refused.zip', flow.origin.origin);
    expect(status?.phase, JSON.stringify(status)).to.equal('Failed');
    expect(status?.failure?.code).to.equal('BucketMisconfigured');
    expect(status?.failure?.message).to.contain(remedy);
  });

  it("is trusted through the bucket's caBundle, which applies neither to sources nor to the token service (X22)", async () => {
    const ready = await readyAfter(KEYS, { caBundle: CA });
    expect(ready, JSON.stringify(ready)).to.include({ status: 'True', reason: 'BucketTested' });
    await expectArchive(KEYS, 'bundle.zip', flow.origin.origin);
    const failed = await statusAfter(KEYS, 'source.zip', source.url);
    expect(failed?.failure?.code, JSON.stringify(failed)).to.equal('SourceTlsError');
    const role = await readyAfter(WITH_ROLE, { caBundle: CA });
    expect(role, JSON.stringify(role)).to.include({ status: 'False', reason: 'BucketMisconfigured' });
    expect(role?.message).to.contain('ask your administrator to add the authority to trustBundle');
  });

  it("is trusted through the chart's trustBundle, with stored keys, and with a role and its token service (X22)", async () => {
    life.defer(() => resetInstallation());
    await applyObjects(flow.cluster, [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: CONFIG_MAP.name, namespace: RELEASE_NAMESPACE },
        data: { [CONFIG_MAP.key]: CA },
      },
    ]);
    const trustBundle = { configMapKeyRef: CONFIG_MAP };
    baseUrl = await (await installChart(flow.cluster, { trustBundle })).apiUrl();
    await untilTokenKnown(baseUrl, flow.project.token);
    for (const name of [KEYS, WITH_ROLE]) {
      // The leader of the previous release may still create the Job of the first test.
      await until(
        `${name} to be Ready`,
        async () => {
          const ready = await readyAfter(name);
          expect(ready, JSON.stringify(ready)).to.include({ status: 'True', reason: 'BucketTested' });
          return true;
        },
        { limitMs: 600_000 },
      );
      await expectArchive(name, 'trusted.zip', source.url);
    }
  });
});

/** The object options of a bucket at MinIO with a key management service, which checks and stores them. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { bucketResourceName, bucketSecretName, GROUP_VERSION } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ObjectOptions } from '#crds/zip-bucket.ts';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { createHttpAgents } from '#runtime/egress/http-agents.ts';
import { createLogger } from '#runtime/log/log.ts';
import { ZIPPER_SETTINGS } from '#test/store-contract/world.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { type BucketReader, createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { type Minio, startTestMinio } from '#test/support/servers/minio.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { applyObjects } from '#test/support/worlds/project.ts';
import { testBucket } from '#test/support/worlds/test-bucket.ts';
import { createBucket } from '#tools/local-cluster/store.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { createStore, type Store } from '#zipper-image/store/store.ts';
import type { PartChecksum } from '#zipper-image/store/store-capabilities.ts';
import { createUpload } from '#zipper-image/store/upload.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { recover } from '#zipper-image/tasks/recover.ts';

const NAMESPACE = 'object-options';
const KEY = 'archives';
const MIB = 1024 * 1024;
const KMS = { serverSideEncryption: 'aws:kms', kmsKeyId: KEY } as const;
const STORED = {
  tags: { team: 'sales', retention: '30 days' },
  metadata: { stage: 'live', owner: 'a b' },
  cacheControl: 'no-store',
  contentDisposition: 'attachment',
  storageClass: 'REDUCED_REDUNDANCY',
} as const;

describe('the object options of a bucket', function () {
  this.timeout(20 * 60_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let minio: Minio;
  before(async function () {
    flow = life.use(await startFlow(NAMESPACE));
    minio = life.use(await startTestMinio(this, { dir: flow.cluster.dir, kmsKey: KEY }));
  });
  after(() => life.disposeAsync());

  /** A bucket of MinIO and its ZipBucket. */
  async function makeBucket(name: string, objectOptions: ObjectOptions): Promise<BucketReader> {
    await createBucket(minio, name);
    const { accessKeyId, secretAccessKey, endpoint, region } = minio;
    const resource = bucketResourceName('s3', name);
    await applyObjects(flow.cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipBucket',
        metadata: { namespace: NAMESPACE, name: resource },
        spec: { service: 's3', bucketName: name, region, endpoint, objectOptions },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: NAMESPACE, name: bucketSecretName(resource) },
        stringData: { accessKeyId, secretAccessKey },
      },
    ]);
    return life.use(createBucketReader(minio, name));
  }
  async function readyOf(name: string) {
    const { status } = await testBucket(flow.cluster, NAMESPACE, bucketResourceName('s3', name));
    return findCondition(status?.conditions, 'Ready');
  }
  async function archived(bucket: string, bytes: number, object: object = {}) {
    const uuid = await postJob(flow.baseUrl, flow.project.token, {
      bucket_name: bucket,
      key: 'a.zip',
      urls: [{ url: flow.origin.url(`/gen/${bytes}/1`), filename: 'a.bin' }],
      object,
    });
    const { status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed']);
    expect(status?.phase, JSON.stringify(status)).to.equal('Succeeded');
    return status;
  }
  function tagsIn(tags: Readonly<Record<string, string>>) {
    return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  }

  it('reach the object with SSE-KMS, and those of a request are merged with them by name', async () => {
    const reader = await makeBucket('with-kms', { ...KMS, ...STORED });
    expect(await readyOf('with-kms')).to.include({ status: 'True', reason: 'BucketTested' });
    expect([await reader.keys(), await reader.openUploads()]).to.deep.equal([[], []]);
    const chosen = { tags: { team: 'finance', job: '1' }, metadata: { stage: 'test' } };
    const bytes = 20 * MIB;
    const status = await archived('with-kms', bytes, chosen);
    const { head, tags } = await reader.describe('a.zip');
    expect(head).to.include({
      ServerSideEncryption: 'aws:kms',
      CacheControl: STORED.cacheControl,
      ContentDisposition: STORED.contentDisposition,
      StorageClass: STORED.storageClass,
    });
    expect(head.SSEKMSKeyId).to.match(new RegExp(`(^|[:/])${KEY}$`));
    expect(head.Metadata).to.deep.equal({
      ...STORED.metadata,
      stage: 'test',
      'zip-attempt': status?.attempts?.[0]?.podUid,
    });
    expect(tags).to.have.deep.members(tagsIn({ ...STORED.tags, ...chosen.tags }));
    const { entries } = readZip(await reader.bytes('a.zip'));
    expect(entries.map(contentOf)).to.deep.equal([generatedBytes(bytes, 1)]);
  });

  it('reach the object with SSE-S3', async () => {
    const reader = await makeBucket('with-sse', { serverSideEncryption: 'AES256' });
    expect(await readyOf('with-sse')).to.include({ status: 'True', reason: 'BucketTested' });
    await archived('with-sse', 20 * MIB);
    const { head } = await reader.describe('a.zip');
    expect(head).to.include({ ServerSideEncryption: 'AES256' });
    expect(readZip(await reader.bytes('a.zip')).entries).to.have.length(1);
  });

  it('are refused by the test of the bucket if the key does not exist', async () => {
    await makeBucket('without-key', { ...KMS, kmsKeyId: 'missing' });
    const ready = await readyOf('without-key');
    expect(ready, JSON.stringify(ready)).to.include({ status: 'False' });
    expect(ready?.message).to.match(/key/i);
  });

  describe('with encryption', () => {
    const log = createLogger('test', { level: 'silent' });
    const body = randomBytes(11 * MIB);
    const stopping = new AbortController().signal;
    const BUCKET = 'encrypted';
    before(() => createBucket(minio, BUCKET));

    function storeOf(bucket: TaskBucket, partChecksum: PartChecksum): Store {
      const allowedHosts = [new URL(minio.endpoint).host];
      const provider = providerOf(bucket, { allowedHosts, allowHttp: true });
      return createStore({
        bucket,
        provider: { ...provider, capabilities: { ...provider.capabilities, partChecksum } },
        credentials: minio,
        agents: createHttpAgents({ connections: 4 }),
        connectTimeoutMs: 5000,
        idleTimeoutMs: 20_000,
      });
    }

    for (const [what, encryption] of [
      ['SSE-KMS', KMS],
      ['SSE-S3', { serverSideEncryption: 'AES256' }],
    ] as const)
      for (const partChecksum of ['crc32', 'md5'] as const)
        it(`verifies parts by ${partChecksum} and recovers the archive, although an ETag may be no MD5 (${what})`, async () => {
          const { endpoint, region } = minio;
          const bucket: TaskBucket = { service: 's3', name: BUCKET, endpoint, region, ...encryption };
          const store = storeOf(bucket, partChecksum);
          const key = `${what}-${partChecksum}.zip`;
          const upload = await createUpload({
            store,
            settings: ZIPPER_SETTINGS,
            log,
            key,
            attempt: 'pod-1',
            onConflict: 'replace',
            signal: stopping,
            onFailure: () => undefined,
            uploadsLeft: createUploadsLeft(),
          });
          await upload.sink.write(body);
          expect(await upload.finishParts()).to.equal(3);
          const { etag } = await upload.complete();
          const task = {
            contractVersion: 1,
            mode: 'recover',
            zipJobUid: 'uid-1',
            bucket,
            key,
            uploadId: upload.uploadId,
            uploadState: 'committing',
            attempt: 'pod-1',
            since: new Date(0).toISOString(),
            endedAt: new Date().toISOString(),
            endedAgeSeconds: 0,
          } as const;
          function onAbortFailed() {
            return undefined;
          }
          const outcome = await recover({
            task,
            store,
            settings: ZIPPER_SETTINGS,
            log,
            stopping,
            onAbortFailed,
            onCompleteSent: () => undefined,
          });
          expect(outcome).to.deep.equal({ outcome: 'published', bytes: body.length, etag });
          store.close();
        });
  });
});

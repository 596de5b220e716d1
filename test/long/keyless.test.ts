/**
 * Buckets without stored keys on a real security token service: MinIO trusts the issuer of the cluster. It is built on first use,
 * which takes minutes.
 */
import { readFile } from 'node:fs/promises';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import { ANNOTATIONS, bucketResourceName, bucketSecretName, GROUP_VERSION } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { WebIdentity } from '#crds/zip-bucket.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { type BucketReader, createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { startClusterTime } from '#test/support/processes/cluster-time.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { startIssuerFront } from '#test/support/servers/issuer-front.ts';
import { AUDIENCE, type Minio, ROLE, startTestMinio } from '#test/support/servers/minio.ts';
import { type R2Store, startR2Store } from '#test/support/servers/r2-store.ts';
import { startStsFront } from '#test/support/servers/sts-front.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import {
  earlyCheckpoints,
  expectContinued,
  type InterruptedJobs,
  putBucket,
  startInterruptedJobs,
} from '#test/support/worlds/interrupted-jobs.ts';
import { applyObjects } from '#test/support/worlds/project.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import { testBucket } from '#test/support/worlds/test-bucket.ts';
import { type FaultAction, startFaultProxy } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';
import { createBucket, createStoreClient } from '#tools/local-cluster/store.ts';

const NAMESPACE = 'keyless';
const EXPIRED = '<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>';
/** What zippers need, except for s3:ListMultipartUploadParts. */
const WITHOUT_LISTS = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: ['s3:PutObject', 's3:GetObject', 's3:AbortMultipartUpload', 's3:ListBucketMultipartUploads'],
      Resource: ['arn:aws:s3:::*'],
    },
  ],
};

/** Keys of a session that may not list the parts of an upload. */
async function sessionWithoutLists({ endpoint }: Minio, token: string) {
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: ROLE,
    WebIdentityToken: token,
    Policy: JSON.stringify(WITHOUT_LISTS),
  });
  const xml = await (await fetch(endpoint, { method: 'POST', body })).text();
  function field(name: string): string {
    return new RegExp(`<${name}>([^<]+)<`).exec(xml)?.[1] ?? expect.fail(xml);
  }
  return {
    accessKeyId: field('AccessKeyId'),
    secretAccessKey: field('SecretAccessKey'),
    sessionToken: field('SessionToken'),
  };
}
const BUCKET = 'keyless-archives';
const FILES = 5_000;
const CONCURRENT_PUTS = 32;
/** Buckets with keys: of MinIO, of the store of the cluster, and of the server that follows the rules of R2. */
const MINIO_FILES = 'minio-files';
const LOCAL_FILES = 'local-files';
const R2_FILES = 'r2-files';
/** Of a job of 5,000 files on a busy machine. */
const LIMIT_MS = 300_000;
const HOUR_MS = 3_600_000;
/** The clock of the cluster does not move with that of the controller, to which a new Job seems an hour old. */
const A_DAY = { startDeadlineSeconds: 86_400, activeDeadlineSeconds: 86_400 };

describe('a bucket without stored keys', function () {
  this.timeout(40 * 60_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let minio: Minio;
  let reader: BucketReader;
  let r2: R2Store;

  before(async function () {
    flow = life.use(await startFlow(NAMESPACE, { jobDefaults: A_DAY }));
    const issuer = life.use(await startIssuerFront(flow.cluster));
    minio = life.use(await startTestMinio(this, { dir: flow.cluster.dir, issuer }));
    reader = life.use(createBucketReader(minio, BUCKET));
    await createBucket(minio, BUCKET);
    await createBucket(minio, MINIO_FILES);
    await flow.cluster.createBucket(LOCAL_FILES);
    r2 = life.use(await startR2Store(R2_FILES));
    // The project has no stored key at all.
    const other = bucketResourceName('s3', flow.project.bucketName);
    await flow.kubectl('delete', 'zipbucket', other);
    await flow.kubectl('delete', 'secret', bucketSecretName(other));
  });
  after(() => life.disposeAsync());

  /** Creates or changes the bucket. */
  async function useRole(change: Partial<WebIdentity> = {}, endpoint = minio.endpoint): Promise<string> {
    const resource = bucketResourceName('s3', BUCKET);
    const webIdentity = { roleArn: ROLE, audience: AUDIENCE, stsEndpoint: minio.endpoint, ...change };
    await applyObjects(flow.cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipBucket',
        metadata: { namespace: NAMESPACE, name: resource },
        spec: {
          service: 's3',
          bucketName: BUCKET,
          region: minio.region,
          endpoint,
          credentials: { webIdentity },
        },
      },
    ]);
    return resource;
  }
  /** The condition Ready after a test of the bucket. */
  async function tested(resource: string) {
    const { status } = await testBucket(flow.cluster, NAMESPACE, resource);
    return findCondition(status?.conditions, 'Ready');
  }
  /** Creates the buckets with keys, and makes all of them readable. Returns the start of the URLs of their files, and their readers. */
  async function openSources(role: string) {
    const { store } = flow.cluster;
    await putBucket(flow, MINIO_FILES, minio);
    await putBucket(flow, LOCAL_FILES, store);
    const { accessKeyId, secretAccessKey } = r2.store;
    const resource = bucketResourceName('r2', R2_FILES);
    const caBundle = await readFile(r2.caFile, 'utf8');
    await applyObjects(flow.cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipBucket',
        metadata: { namespace: NAMESPACE, name: resource },
        spec: { service: 'r2', bucketName: R2_FILES, host: r2.host, accountId: 'account', caBundle },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: NAMESPACE, name: bucketSecretName(resource) },
        stringData: { accessKeyId, secretAccessKey },
      },
    ]);
    const readable = JSON.stringify({ spec: { readable: true } });
    const withKeys = [MINIO_FILES, LOCAL_FILES].map((name) => bucketResourceName('s3', name));
    for (const name of [role, ...withKeys, resource])
      await flow.kubectl('patch', 'zipbucket', name, '--type=merge', '-p', readable);
    const sources = [
      [`s3://${BUCKET}/`, createBucketReader(minio, BUCKET)],
      [`s3://${MINIO_FILES}/`, createBucketReader(minio, MINIO_FILES)],
      [`s3://${LOCAL_FILES}/`, createBucketReader(store, LOCAL_FILES)],
      [`r2://${R2_FILES}/`, createBucketReader(r2.store, R2_FILES)],
    ] as const;
    return {
      sources,
      [Symbol.dispose]: () => {
        for (const [, bucket] of sources) bucket[Symbol.dispose]();
      },
    };
  }
  async function setPaused(value: string): Promise<void> {
    const lease = ['lease', 'zipjobs-controller', '-n', RELEASE_NAMESPACE];
    await flow.cluster.kubectl(['annotate', '--overwrite', ...lease, `${ANNOTATIONS.paused}${value}`]);
  }
  function request(key: string, urls: readonly object[]): Promise<string> {
    return postJob(flow.baseUrl, flow.project.token, { bucket_name: BUCKET, key, urls });
  }
  async function start(key: string) {
    const held = flow.hold();
    const uuid = await request(key, [{ url: held.url, filename: 'a' }]);
    return { uuid, release: held.release };
  }
  function untilUploading(uuid: string) {
    return until(
      `the upload of ${uuid}`,
      async () => {
        const { status } = await flow.project.zipJob(uuid);
        return status?.upload?.state === 'open' && status.job?.podName;
      },
      { limitMs: 120_000 },
    );
  }
  async function untilSucceeded(uuid: string): Promise<void> {
    const { status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed'], LIMIT_MS);
    expect(status?.phase, JSON.stringify(status)).to.equal('Succeeded');
  }

  it('passes its test and gets an archive, with no key in the namespace (X21)', async () => {
    const resource = await useRole();
    expect(await tested(resource)).to.include({ status: 'True', reason: 'BucketTested' });
    const { uuid, release } = await start('first.zip');
    release();
    await untilSucceeded(uuid);
    expect(await reader.size('first.zip')).to.be.greaterThan(1_500_000);
    expect(await flow.kubectl('get', 'secrets', '-o', 'name')).not.to.contain('zipbucket');
    expect(await reader.openUploads()).to.deep.equal([]);
  });

  it('is recovered with credentials of its role after the pod was killed (X21)', async () => {
    await useRole();
    const { uuid, release } = await start('killed.zip');
    const pod = await untilUploading(uuid);
    await flow.kubectl('delete', 'pod', pod, '--grace-period=0', '--force');
    release();
    await untilSucceeded(uuid);
    const { status } = await flow.project.zipJob(uuid);
    expect(findCondition(status?.conditions, 'Recovered')?.status, JSON.stringify(status)).to.equal('True');
    expect(await reader.openUploads()).to.deep.equal([]);
  });

  it('is the source of a job beside buckets with keys and URLs, in order and byte for byte (SB8) (SB10)', async () => {
    using opened = await openSources(await useRole());
    const { sources } = opened;
    function contentOf(index: number): Buffer {
      return generatedBytes(400 + (index % 997), index);
    }
    const all = Array.from({ length: FILES }, (_, index) => index);
    const objects = all.filter((index) => index % 5 < sources.length);
    for (let from = 0; from < objects.length; from += CONCURRENT_PUTS)
      await Promise.all(
        objects.slice(from, from + CONCURRENT_PUTS).map((index) => {
          const [, bucket] = sources[index % 5] ?? expect.fail('no bucket');
          return bucket.put(`file ${index}`, contentOf(index));
        }),
      );
    const uuid = await request(
      'of-objects.zip',
      all.map((index) => {
        const [prefix] = sources[index % 5] ?? [];
        const url =
          prefix === undefined
            ? flow.origin.url(`/gen/${400 + (index % 997)}/${index}`)
            : `${prefix}file ${index}`;
        return { url, filename: `${FILES - index}.bin` };
      }),
    );
    await untilSucceeded(uuid);
    const entries = await zipEntries(await reader.bytes('of-objects.zip'));
    expect(entries.map(({ name }) => name)).to.deep.equal(all.map((index) => `${FILES - index}.bin`));
    const wrong = entries.findIndex(({ content }, index) => !content.equals(contentOf(index)));
    expect(wrong).to.equal(-1);
  });

  it('is the source of a job that waits for an hour, beside buckets with keys, while a presigned URL expires (SB8) (SB10)', async () => {
    await using sts = await startStsFront(minio.endpoint, HOUR_MS);
    using opened = await openSources(await useRole({ stsEndpoint: sts.endpoint }));
    const { sources } = opened;
    for (const [index, [, bucket]] of sources.entries())
      await bucket.put('waited', generatedBytes(1_000, index));
    // The clock of a store cannot be moved, so the URL is one that was signed an hour ago.
    const client = createStoreClient(minio);
    life.defer(() => client.destroy());
    const presigned = await getSignedUrl(client, new GetObjectCommand({ Bucket: BUCKET, Key: 'waited' }), {
      expiresIn: HOUR_MS / 1000 / 2,
      signingDate: new Date(Date.now() - HOUR_MS),
    });
    await using paused = new AsyncDisposableStack();
    paused.defer(() => setPaused('-'));
    await setPaused('=true');
    // Restarts the controller, which reads the pause before it starts a job.
    await using time = await startClusterTime(flow.cluster);
    const ofObjects = await request(
      'waited.zip',
      sources.map(([prefix], index) => ({ url: `${prefix}waited`, filename: `${index}.bin` })),
    );
    const ofUrl = await request('expired.zip', [{ url: presigned, filename: 'a' }]);
    for (const uuid of [ofObjects, ofUrl])
      await until(
        `job ${uuid} to wait`,
        async () => (await flow.project.zipJob(uuid)).status?.reason === 'Paused',
        { limitMs: 120_000 },
      );
    await time.round(HOUR_MS);
    expect(sts.requests).to.deep.equal([]);
    await setPaused('-');
    await untilSucceeded(ofObjects);
    const { status } = await flow.project.zipJob(ofObjects);
    const created = findCondition(status?.conditions, 'JobCreated')?.lastTransitionTime ?? '';
    expect(Date.parse(created) - Date.parse(status?.acceptedAt ?? '')).to.be.at.least(HOUR_MS);
    expect(sts.sessions).to.be.greaterThan(0);
    const entries = await zipEntries(await reader.bytes('waited.zip'));
    expect(entries.map(({ content }) => content)).to.deep.equal(
      sources.map((_, index) => generatedBytes(1_000, index)),
    );
    const expired = await flow.project.untilPhase(ofUrl, ['Succeeded', 'Failed']);
    expect(expired.status, JSON.stringify(expired.status)).to.include({ reason: 'SourceExpired' });
    expect(expired.status?.failure?.message).to.contain('its signed URL expired');
  });

  it('is not Ready if the token service expects another audience: claims and issuer are shown, no token (X21)', async () => {
    const ready = await tested(await useRole({ audience: 'another.example' }));
    expect(ready).to.include({ status: 'False', reason: 'BucketCredentialsInvalid' });
    expect(ready?.message).to.contain('audience "another.example"');
    expect(ready?.message).to.contain('issuer "kubernetes.default.svc"');
    expect(ready?.message).to.contain(`subject "system:serviceaccount:${NAMESPACE}:zipjobs-zipper"`);
    expect(ready?.message).not.to.match(/eyJ/);
  });

  describe('whose job is between two pods', () => {
    let jobs: InterruptedJobs;

    before(async () => {
      life.defer(forgetInstallation);
      jobs = life.use(await startInterruptedJobs(flow));
      await installChart(flow.cluster, earlyCheckpoints());
    });

    it('gets its archive from both pods, although the session of the first one has expired (X21) (G12)', async () => {
      await using sts = await startStsFront(minio.endpoint, 3_600_000);
      const expired = new Set<string>();
      let refusals = 0;
      function judge({ headers }: ProxiedRequest): FaultAction | undefined {
        const [, accessKeyId = ''] = /Credential=([^/]+)\//.exec(headers.authorization ?? '') ?? [];
        if (!expired.has(accessKeyId)) return undefined;
        refusals += 1;
        return { kind: 'response', status: 400, body: EXPIRED };
      }
      await using store = await startFaultProxy({ upstream: minio.endpoint, judge });
      await useRole({ stsEndpoint: sts.endpoint }, store.url);
      const job = await jobs.interrupt({ bucketName: BUCKET, key: 'session.zip' });
      const { sessions } = sts;
      for (const { accessKeyId } of sts.requests) expired.add(accessKeyId);
      await expectContinued(job, await job.finish());
      expect(sts.sessions).to.be.greaterThan(sessions);
      expect(refusals).to.equal(0);
      await job.check(reader);
      expect(await reader.openUploads()).to.deep.equal([]);
    });

    it('starts another upload if its new keys may not list parts, and aborts the first one (G12)', async () => {
      const bucketName = 'hidden-parts';
      await createBucket(minio, bucketName);
      await putBucket(flow, bucketName, minio);
      const job = await jobs.interrupt({ bucketName, key: 'hidden.zip' });
      const token = await flow.kubectl('create', 'token', 'default', `--audience=${AUDIENCE}`);
      await putBucket(flow, bucketName, { ...minio, ...(await sessionWithoutLists(minio, token.trim())) });
      const { status } = await job.finish();
      expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
      expect(status?.result).to.not.have.property('resumes');
      expect(status?.upload).to.include({ refusal: 'PartsHidden' });
      expect(status?.upload?.uploadId).to.not.equal(job.before.upload?.uploadId);
      const refused = /^ResumeRefused: .*PartsHidden/m;
      await until('the Event ResumeRefused', async () => refused.test((await job.events()).join('\n')));
      using bucket = createBucketReader(minio, bucketName);
      await job.check(bucket);
      expect(await bucket.openUploads()).to.deep.equal([]);
    });
  });
});

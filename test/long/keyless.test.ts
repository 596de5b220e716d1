/**
 * Buckets without stored keys on a real security token service: MinIO trusts the issuer of the cluster. It is built on first use,
 * which takes minutes.
 */
import { expect } from 'chai';
import { bucketResourceName, bucketSecretName, GROUP_VERSION } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { WebIdentity } from '#crds/zip-bucket.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { type BucketReader, createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { startIssuerFront } from '#test/support/servers/issuer-front.ts';
import { AUDIENCE, type Minio, ROLE, startTestMinio } from '#test/support/servers/minio.ts';
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
import { createBucket } from '#tools/local-cluster/store.ts';

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

describe('a bucket without stored keys', function () {
  this.timeout(40 * 60_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let minio: Minio;
  let reader: BucketReader;

  before(async function () {
    flow = life.use(await startFlow(NAMESPACE));
    const issuer = life.use(await startIssuerFront(flow.cluster));
    minio = life.use(await startTestMinio(this, { dir: flow.cluster.dir, issuer }));
    reader = life.use(createBucketReader(minio, BUCKET));
    await createBucket(minio, BUCKET);
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
  async function start(key: string) {
    const held = flow.hold();
    const uuid = await postJob(flow.baseUrl, flow.project.token, {
      bucket_name: BUCKET,
      key,
      urls: [{ url: held.url, filename: 'a' }],
    });
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
    const { status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed']);
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
      expect((await job.events()).join('\n')).to.match(/^ResumeRefused: .*PartsHidden/m);
      using bucket = createBucketReader(minio, bucketName);
      await job.check(bucket);
      expect(await bucket.openUploads()).to.deep.equal([]);
    });
  });
});

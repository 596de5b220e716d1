/** The lifecycle of a ZipBucket: its test on request, and its deletion while jobs use it. */
import { expect } from 'chai';
import { ANNOTATIONS, bucketResourceName, bucketSecretName, GROUP_VERSION } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { followObjects } from '#test/support/clients/follow-objects.ts';
import { adminApi } from '#test/support/processes/controller-pods.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { listedIn } from '#test/support/worlds/jobs-and-pods.ts';
import { applyObjects } from '#test/support/worlds/project.ts';
import { testBucket } from '#test/support/worlds/test-bucket.ts';

const NAMESPACE = 'bucket-life';

describe('a ZipBucket', function () {
  this.timeout(300_000);
  let flow: Flow;
  let own: string;
  before(async () => {
    flow = await startFlow(NAMESPACE);
    own = bucketResourceName('s3', flow.project.bucketName);
  });
  after(() => flow[Symbol.asyncDispose]());

  async function kubectl(...args: readonly string[]): Promise<string> {
    return (await flow.cluster.kubectl(['-n', NAMESPACE, ...args])).stdout;
  }
  async function bucketOf(name: string): Promise<ZipBucket> {
    return flow.cluster.read(`/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/zipbuckets/${name}`);
  }

  interface Made {
    readonly name: string;
    readonly endpoint?: string;
    readonly secretAccessKey?: string;
  }
  /** A bucket of the local store, or of the given one, with a name of its own. */
  async function makeBucket({ name, endpoint, secretAccessKey }: Made): Promise<string> {
    const { store } = flow.cluster;
    const resource = bucketResourceName('s3', name);
    if (endpoint === undefined) await flow.cluster.createBucket(name);
    await applyObjects(flow.cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipBucket',
        metadata: { namespace: NAMESPACE, name: resource },
        spec: {
          service: 's3',
          bucketName: name,
          region: store.region,
          endpoint: endpoint ?? store.endpoint,
        },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: NAMESPACE, name: bucketSecretName(resource) },
        stringData: {
          accessKeyId: store.accessKeyId,
          secretAccessKey: secretAccessKey ?? store.secretAccessKey,
        },
      },
    ]);
    return resource;
  }

  function tested(name: string): Promise<ZipBucket> {
    return testBucket(flow.cluster, NAMESPACE, name);
  }
  function readyOf({ status }: ZipBucket) {
    return findCondition(status?.conditions, 'Ready');
  }

  it('is Ready after a successful test, which leaves nothing behind', async () => {
    const bucket = await tested(own);
    expect(readyOf(bucket)).to.deep.include({ status: 'True', reason: 'BucketTested' });
    expect(findCondition(bucket.status?.conditions, 'RecoveryLimited')).to.include({ status: 'False' });
    await until('the Job of the test to be gone', async () => {
      const left = await listedIn(flow.cluster, NAMESPACE, 'app.kubernetes.io/component=check-bucket');
      return left.length === 0;
    });
    expect(await flow.project.bucket.keys()).to.deep.equal([]);
    expect(await flow.project.bucket.openUploads()).to.deep.equal([]);
  });

  it('is tested again after a new nonce, by a pod without a token that mounts only its own Secret', async () => {
    await using api = await adminApi(flow.cluster);
    const path = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
    const selector = 'labelSelector=app.kubernetes.io%2Fcomponent%3Dcheck-bucket';
    // The controller deletes the Job once it has the result, so only a watch is sure to see it.
    using jobs = await followObjects(api, `${path}?${selector}`, ({ spec }: Job) => spec?.template.spec);
    await tested(own);
    const added = await until('the Job of the test', () => jobs.events.find(({ type }) => type === 'ADDED'));
    expect(added.object?.automountServiceAccountToken).to.equal(false);
    const text = JSON.stringify(added.object?.volumes);
    expect(text).to.contain(bucketSecretName(own));
    expect(text).not.to.contain('serviceAccountToken');
  });

  it('is not Ready when its key is invalid, and reports the reason', async () => {
    const name = await makeBucket({ name: `${NAMESPACE}-wrong`, secretAccessKey: 'not-the-key-at-all' });
    const bucket = await tested(name);
    expect(readyOf(bucket)).to.include({ status: 'False', reason: 'BucketCredentialsInvalid' });
    expect(JSON.stringify(bucket.status)).not.to.contain('not-the-key-at-all');
  });

  describe('credentials with missing permissions', () => {
    let store: HostileStore;
    let name: string;
    before(async () => {
      store = await startHostileStore();
      name = await makeBucket({ name: `${NAMESPACE}-hostile`, endpoint: store.endpoint });
    });
    after(() => store[Symbol.asyncDispose]());
    function refuse(...operations: readonly string[]): void {
      store.fault = ({ operation }) =>
        operations.includes(operation) ? { kind: 'response', status: 403, code: 'AccessDenied' } : undefined;
    }

    it('make the bucket not Ready without s3:PutObject, and the condition names the permission', async () => {
      refuse('create');
      expect(readyOf(await tested(name))).to.satisfy(
        (ready: { status: string; message: string } | undefined) =>
          ready?.status === 'False' && ready.message.includes('s3:PutObject'),
      );
    });

    it('leave the bucket Ready with incomplete fencing without s3:GetObject', async () => {
      refuse('head');
      const bucket = await tested(name);
      expect(readyOf(bucket)).to.include({ status: 'True' });
      const fence = findCondition(bucket.status?.conditions, 'RecoveryLimited');
      expect(fence).to.include({ status: 'True', reason: 'ReadForbidden' });
      expect(fence?.message).to.contain('s3:GetObject');
    });

    it('leave the bucket Ready with incomplete fencing without s3:ListBucketMultipartUploads, until a later test passes', async () => {
      refuse('listUploads', 'listParts');
      const fence = findCondition((await tested(name)).status?.conditions, 'RecoveryLimited');
      expect(fence).to.include({ status: 'True', reason: 'ListForbidden' });
      expect(fence?.message).to.contain('s3:ListBucketMultipartUploads');
      refuse();
      const condition = findCondition((await tested(name)).status?.conditions, 'RecoveryLimited');
      expect(condition).to.include({ status: 'False', reason: 'AllPermitted' });
    });
  });

  /** A job that runs until its source is released. */
  async function runningJob(bucketName: string) {
    const { baseUrl, project } = flow;
    const held = flow.hold();
    const request = {
      bucket_name: bucketName,
      key: `archive-${Math.random().toString(36).slice(2)}.zip`,
      urls: [{ url: held.url, filename: 'a' }],
    };
    // The API learns of a bucket from its watch, which lags behind.
    const uuid = await postJob(baseUrl, project.token, request);
    await project.untilPhase(uuid, ['Running']);
    return { uuid, release: held.release };
  }

  it('is not deleted while unfinished jobs use it, then waits for finished ones, and accepts no new ones (F15, N28)', async () => {
    const name = `${NAMESPACE}-waits`;
    const resource = await makeBucket({ name });
    const { uuid, release } = await runningJob(name);
    await until('the count of jobs', async () => (await bucketOf(resource)).status?.activeJobs === 1);
    const refused = await flow.cluster.kubectl(['-n', NAMESPACE, 'delete', 'zipbucket', resource], {
      allowFailure: true,
    });
    expect(refused.stderr).to.contain('1 unfinished ZipJobs use this ZipBucket');
    expect((await bucketOf(resource)).metadata.deletionTimestamp).to.equal(undefined);
    release();
    const { status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed']);
    expect(status?.phase, JSON.stringify(status)).to.equal('Succeeded');
    await until('the count of jobs', async () => (await bucketOf(resource)).status?.activeJobs === 0);
    await kubectl('delete', 'zipbucket', resource, '--wait=false');
    const waiting = await until('the bucket to report what it waits for', async () =>
      findCondition((await bucketOf(resource)).status?.conditions, 'Waiting'),
    );
    expect(waiting).to.include({ status: 'True', reason: 'JobsExist' });
    expect(waiting.message).to.contain('0 unfinished; 1 finished');
    await applyObjects(flow.cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipJob',
        metadata: { namespace: NAMESPACE, name: 'too-late' },
        spec: {
          bucketRef: { name: resource },
          key: 'late.zip',
          files: [{ url: flow.origin.url('/drip/1/0/1/1'), filename: 'a' }],
        },
      },
    ]);
    await kubectl('wait', 'zipjob/too-late', '--for=jsonpath={.status.phase}=Failed', '--timeout=60s');
    expect(await kubectl('get', 'zipjob', 'too-late', '-o', 'jsonpath={.status.reason}')).to.equal(
      'BucketTerminating',
    );
    await until('the bucket to wait only for finished jobs', async () =>
      findCondition((await bucketOf(resource)).status?.conditions, 'Waiting')?.message.includes(
        '0 unfinished; 2 finished',
      ),
    );
    await kubectl('delete', 'zipjob', `zip-${uuid}`, 'too-late');
    await kubectl('wait', `zipbucket/${resource}`, '--for=delete', '--timeout=60s');
  });

  it('is deleted at once when that is forced, and its unfinished jobs fail (F15)', async () => {
    const name = `${NAMESPACE}-forced`;
    const resource = await makeBucket({ name });
    const { uuid } = await runningJob(name);
    await kubectl('annotate', 'zipbucket', resource, `${ANNOTATIONS.forceDelete}=true`);
    await kubectl('delete', 'zipbucket', resource, '--timeout=60s');
    const { status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed', 'Cancelled']);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Failed', reason: 'BucketDeleted' });
  });
});

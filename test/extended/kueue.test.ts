/** Jobs in the queues of a real Kueue. It is built on first use, which takes minutes. */
import { expect } from 'chai';
import { bucketResourceName, LABELS } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { type Kueue, startKueue } from '#test/support/servers/kueue.ts';
import { until } from '#test/support/until.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { testBucket } from '#test/support/worlds/test-bucket.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { Manifest } from '#tools/local-cluster/cluster-types.ts';

const NAMESPACE = 'kueue-jobs';
const QUEUE = 'night';
const API_VERSION = 'kueue.x-k8s.io/v1beta2';
const WAIT_LIMIT_MS = 60_000;
/** One archive and one recovery at a time, by their default requests of 100m and 50m. */
const CPU_QUOTA = '150m';
const URGENT = 'kueue-urgent';

const QUEUES: readonly Manifest[] = [
  { apiVersion: API_VERSION, kind: 'ResourceFlavor', metadata: { name: 'any' }, spec: {} },
  {
    apiVersion: API_VERSION,
    kind: 'ClusterQueue',
    metadata: { name: 'archives' },
    spec: {
      namespaceSelector: {},
      preemption: { withinClusterQueue: 'LowerPriority' },
      resourceGroups: [
        {
          coveredResources: ['cpu', 'memory', 'ephemeral-storage'],
          flavors: [
            {
              name: 'any',
              resources: [
                { name: 'cpu', nominalQuota: CPU_QUOTA },
                { name: 'memory', nominalQuota: '10Gi' },
                { name: 'ephemeral-storage', nominalQuota: '10Gi' },
              ],
            },
          ],
        },
      ],
    },
  },
  {
    apiVersion: API_VERSION,
    kind: 'LocalQueue',
    metadata: { namespace: NAMESPACE, name: QUEUE },
    spec: { clusterQueue: 'archives' },
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: URGENT },
    value: 1000,
    description: 'Jobs that preempt others in their queue',
  },
];

describe('in the queues of Kueue', function () {
  this.timeout(40 * 60_000);
  const life = new AsyncDisposableStack();
  let world: ZipperWorld;
  let kueue: Kueue;

  before(async function () {
    const cluster = await sharedCluster();
    world = life.use(await startZipperWorld(NAMESPACE));
    kueue = life.use(await startKueue(this, cluster, NAMESPACE));
    await until('the webhooks of Kueue to respond', () => cluster.apply(QUEUES).then(() => true));
  });
  after(() => life.disposeAsync());

  function tiny(): string {
    return world.origin.url('/gen/1000/1');
  }

  function startQueued(urls: readonly string[], own: Parameters<ZipperWorld['start']>[1] = {}) {
    return world.start(urls, { ...own, spec: { queueName: QUEUE, ...own.spec } });
  }

  function untilSeen(uuid: string, what: string, isSeen: (zipJob: ZipJob) => boolean): Promise<ZipJob> {
    return until(
      `${uuid} to be ${what}`,
      async () => {
        const zipJob = await world.project.zipJob(uuid);
        return isSeen(zipJob) && zipJob;
      },
      { limitMs: WAIT_LIMIT_MS, intervalMs: 100 },
    );
  }

  function untilAwaitsQueue(uuid: string): Promise<ZipJob> {
    return untilSeen(uuid, 'held by its queue', ({ status }) => status?.reason === 'AwaitingQueue');
  }

  async function expectSuccess(uuid: string, expected: object = {}): Promise<ZipJob> {
    const zipJob = await world.untilEnd(uuid);
    expect(zipJob.status, JSON.stringify(zipJob.status)).to.include({ phase: 'Succeeded', ...expected });
    return zipJob;
  }

  async function jobNamed(name: string): Promise<Job> {
    return JSON.parse(await world.kubectl('get', 'job', name, '-o', 'json')) as Job;
  }

  it('an admitted job runs (X34)', async () => {
    const uuid = await startQueued([tiny()]);
    await expectSuccess(uuid, { attemptsTotal: 1 });
    const workloads = await world.kubectl('get', 'workloads', '-o', 'jsonpath={.items[*].spec.queueName}');
    expect(workloads).to.equal(QUEUE);
  });

  it('a job that is held says which queue it waits for, and runs when there is room (X34)', async () => {
    const held = world.hold();
    const first = await startQueued([held.url]);
    await world.untilUploading(first);
    const second = await startQueued([tiny()]);
    const { status } = await untilAwaitsQueue(second);
    expect(status?.message).to.equal(`Job zip-${second} is suspended until queue ${QUEUE} admits it`);
    held.release();
    await expectSuccess(first);
    await expectSuccess(second, { attemptsTotal: 1 });
  });

  it('a preempted job waits again and succeeds, and its attempt does not count (X34)', async () => {
    const [slow, urgent] = [world.hold(), world.hold()];
    const preempted = await startQueued([slow.url], { spec: { maxAttempts: 1 } });
    const podUid = await world.untilUploading(preempted);
    const other = await startQueued([urgent.url], { spec: { priorityClassName: URGENT } });
    await world.untilUploading(other);
    const { status } = await untilAwaitsQueue(preempted);
    expect(status?.attempts?.[0]).to.include({ podUid, class: 'disruption', reason: 'Terminated' });
    urgent.release();
    await expectSuccess(other, { attemptsTotal: 1 });
    await world.untilUploading(preempted, podUid);
    slow.release();
    await expectSuccess(preempted, { attemptsTotal: 2 });
    expect((await world.jobOf(preempted)).failed ?? 0).to.equal(0);
    await world.untilNoOpenUploads();
  });

  describe('with manageJobsWithoutQueueName', () => {
    before(async () => {
      await kueue.restart({ manageJobsWithoutQueueName: true });
    });

    it('the recovery of a killed zipper runs in the queue of its job (X48)', async () => {
      const held = world.hold();
      const uuid = await startQueued([held.url]);
      const podUid = await world.untilUploading(uuid);
      expect(world.cluster.node.kill(podUid, 'SIGKILL')).to.equal(true);
      await world.untilUploading(uuid, podUid);
      held.release();
      const { status } = await expectSuccess(uuid, { attemptsTotal: 2 });
      expect(status?.attempts?.[0]).to.not.have.property('abortFailures');
      await world.untilNoOpenUploads();
      const recovery = await jobNamed(`zip-${uuid}-recover-1`);
      expect(recovery.metadata.labels).to.include({ [LABELS.queueName]: QUEUE });
    });

    it('the recovery of a published archive waits for its queue, and says so (X48)', async () => {
      let podUid = '';
      const held = world.hold();
      const uuid = await startQueued([held.url], {
        spec: { maxAttempts: 1 },
        storeFault: ({ method, path }) =>
          method === 'POST' && path.includes('uploadId=')
            ? { kind: 'kill', kill: () => world.cluster.node.kill(podUid, 'SIGKILL') }
            : undefined,
      });
      podUid = await world.untilUploading(uuid);
      await holdQueue('Hold');
      held.release();
      const waiting = await untilSeen(uuid, 'recovering', ({ status }) =>
        /AwaitingQueue/.test(findCondition(status?.conditions, 'Recovered')?.message ?? ''),
      );
      expect(findCondition(waiting.status?.conditions, 'Recovered')?.message).to.equal(
        `attempt 1 waits for recovery: AwaitingQueue: Job zip-${uuid}-recover-1 is suspended until queue ${QUEUE} admits it`,
      );
      await holdQueue('None');
      await expectSuccess(uuid, { reason: 'VerifiedInStore', attemptsTotal: 1 });
    });

    async function holdQueue(stopPolicy: 'Hold' | 'None'): Promise<void> {
      const patch = JSON.stringify({ spec: { stopPolicy } });
      await world.kubectl('patch', 'localqueue', QUEUE, '--type=merge', '-p', patch);
    }

    it('a bucket test runs in the queue of its project (X48)', async () => {
      const patch = JSON.stringify({ spec: { jobDefaults: { queueName: QUEUE } } });
      await world.kubectl('patch', 'zipproject', 'project', '--type=merge', '-p', patch);
      const name = bucketResourceName('s3', world.project.bucketName);
      const { status } = await testBucket(world.cluster, NAMESPACE, name);
      expect(findCondition(status?.conditions, 'Ready')).to.include({
        status: 'True',
        reason: 'BucketTested',
      });
    });

    it('a job in no queue says why it does not start (X48)', async () => {
      const uuid = await world.start([tiny()]);
      const { status } = await untilAwaitsQueue(uuid);
      expect(status?.message).to.contain('is in no queue');
      await world.kubectl('patch', 'zipjob', `zip-${uuid}`, '--type=merge', '-p', '{"spec":{"cancel":true}}');
      expect((await world.untilEnd(uuid)).status).to.include({ phase: 'Cancelled' });
    });
  });
});

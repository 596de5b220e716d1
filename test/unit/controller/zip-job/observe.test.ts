import { expect } from 'chai';
import { INDEXES, JOB_INDEXES, listOwnersOf, POD_INDEXES } from '#controller/cluster/caches.ts';
import type { Position } from '#controller/queue/ledger.ts';
import { refusalAfter } from '#controller/reconciling/refusal.ts';
import { createMemory } from '#controller/zip-job/memory.ts';
import { createObserve } from '#controller/zip-job/observe.ts';
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { Event, Job, Pod } from '#runtime/kube/resources.ts';
import { BUILT_IN_LIMITS } from '#runtime/project-limits/class-settings.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import {
  ago,
  aJob,
  aPod,
  aZipBucket,
  aZipJob,
  aZipProject,
  type JobChange,
  NAME,
  NAMESPACE,
  NOW,
  type PodChange,
} from '#test/support/builders/objects.ts';
import { type Ending, ended } from '#test/support/builders/pod-statuses.ts';
import { NO_QUOTA_ROOM } from '#test/support/builders/quota-room.ts';
import { aCondition, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

const KEY = `${NAMESPACE}/${NAME}`;

/** A pod of the recovery Job. */
function recoveryPod(name: string, change: PodChange = {}, uid = 'uid-recover'): Pod {
  return aPod(name, {
    ...change,
    metadata: {
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: `${NAME}-recover-1`, uid, controller: true },
      ],
    },
  });
}

function setUp(going?: string, position: Position = { state: 'none' }) {
  const zipJobs = createFakeObjects<ZipJob>({
    indexes: { [INDEXES.fileList]: listOwnersOf },
  });
  const jobs = createFakeObjects<Job>({ indexes: JOB_INDEXES });
  const pods = createFakeObjects<Pod>({ indexes: POD_INDEXES });
  const events = createFakeObjects<Event>();
  const buckets = createFakeObjects<ZipBucket>();
  const projects = createFakeObjects<ZipProject>();
  const identities = new Map<string, ZipJob>();
  const memory = createMemory((key) => zipJobs.reflector.get(key));
  const observe = createObserve({
    caches: {
      zipJobs: { ...zipJobs.reflector, identity: (key) => identities.get(key) },
      jobs: jobs.reflector,
      pods: pods.reflector,
      buckets: buckets.reflector,
      projects: projects.reflector,
    },
    reportingJobs: { count: 1 },
    surplusJobs: { isSurplus: () => false },
    finishedPods: { isSurplus: () => false },
    quotaRoom: NO_QUOTA_ROOM,
    zipJobs: zipJobs.client,
    jobs: jobs.client,
    pods: pods.client,
    events: events.client,
    buckets: buckets.client,
    projects: projects.client,
    memory,
    dispatcher: { state: () => ({ kind: 'idle' }) },
    ledger: { position: () => position, sharesTarget: () => true },
    isNamespaceTerminating: (namespace) => Promise.resolve(namespace === going),
    clock: { date: () => NOW },
    limitsIn: () => BUILT_IN_LIMITS,
    config: { activeDeadlineSeconds: 7200 },
  });
  projects.put(aZipProject());
  buckets.put(aZipBucket());
  function calls(): readonly string[] {
    return [zipJobs, jobs, pods, events, buckets, projects].flatMap((one) => one.calls);
  }
  return { observe, zipJobs, jobs, pods, events, buckets, projects, identities, memory, calls };
}

/** Of a Job whose pod the API server refused so many seconds ago. */
function failedCreate(
  uid: string,
  { name, seconds, message }: { readonly name: string; readonly seconds: number; readonly message: string },
): Event {
  return {
    metadata: { namespace: NAMESPACE, name },
    involvedObject: { uid },
    type: 'Warning',
    reason: 'FailedCreate',
    lastTimestamp: ago(seconds),
    message,
  };
}

describe('observe', () => {
  it('finds the owner of the file list of a rerun, and the reruns that use the file list of a job', async () => {
    const { observe, zipJobs } = setUp();
    const { spec } = zipJobs.put(aZipJob({ status: finishedAs('Failed') }));
    zipJobs.put(aZipJob({ metadata: { name: 'again' }, spec, status: running('p1') }));
    expect((await observe(`${NAMESPACE}/again`, {}))?.listOwner?.metadata.name).to.equal(NAME);
    expect((await observe(KEY, {}))?.listUsers?.map(({ metadata }) => metadata.name)).to.deep.equal([
      'again',
    ]);
  });

  it('reads a ZipJob of which the cache has only the identity, until its project exists (N36)', async () => {
    const { observe, zipJobs, projects, identities, calls } = setUp();
    projects.remove(NAMESPACE, 'project');
    zipJobs.lagging = true;
    const waiting = zipJobs.put(aZipJob());
    expect(await observe(KEY, {})).to.equal(undefined);
    expect(calls()).to.deep.equal([]);
    identities.set(KEY, waiting);
    const seen = await observe(KEY, {});
    expect([seen?.zipJob, seen?.project]).to.deep.equal([waiting, undefined]);
    expect(calls()).to.deep.equal([`get ${KEY}`, `get ${NAMESPACE}/project`]);
    projects.put(aZipProject());
    expect(await observe(KEY, {}), 'the cache will have it').to.equal(undefined);
  });

  it('reads everything from the caches without a request', async () => {
    const { observe, zipJobs, jobs, pods, calls } = setUp();
    zipJobs.put(aZipJob({ status: running('p1') }));
    jobs.put(aJob());
    pods.put(aPod('p1'));
    const seen = await observe(KEY, {});
    expect(seen?.pods.map(({ metadata }) => metadata.name)).to.deep.equal(['p1']);
    expect(seen?.sharesTarget).to.equal(true);
    expect(calls()).to.deep.equal([]);
  });

  it('reads an object that the status refers to live before it counts as missing (K7)', async () => {
    const { observe, zipJobs, jobs, pods, buckets, calls } = setUp();
    for (const one of [jobs, pods]) one.lagging = true;
    zipJobs.put(aZipJob({ status: running('p1') }));
    jobs.put(aJob());
    pods.put(aPod('p1'));
    buckets.remove(NAMESPACE, 's3-archive');
    const seen = await observe(KEY, {});
    expect([seen?.job?.metadata.uid, seen?.pods.length, seen?.bucket]).to.deep.equal([
      'uid-job',
      1,
      undefined,
    ]);
    expect(calls()).to.deep.equal([`get ${KEY}`, `get ${NAMESPACE}/p1`, `get ${NAMESPACE}/s3-archive`]);
  });

  it('reads a source bucket live before a job cannot start because of it (SB5)', async () => {
    const { observe, zipJobs, buckets, calls } = setUp();
    const names = ['readable', 'leaving', 'closed', 'missing'];
    zipJobs.put(aZipJob({ spec: { sourceBuckets: names } }));
    function put(name: string, metadata: object, readable: boolean): void {
      const bucket = aZipBucket();
      buckets.put({
        ...bucket,
        metadata: { ...bucket.metadata, name, ...metadata },
        spec: { ...bucket.spec, readable },
      });
    }
    put('readable', {}, true);
    put('leaving', { deletionTimestamp: ago(1) }, true);
    put('closed', {}, false);
    buckets.lagging = true;
    for (const name of names) put(name, {}, true);
    const seen = await observe(KEY, {});
    expect(seen?.sourceBuckets?.map(({ metadata, spec }) => [metadata.name, spec.readable])).to.deep.equal(
      names.map((name) => [name, true]),
    );
    const read = ['leaving', 'closed', 'missing'].map((name) => `get ${NAMESPACE}/${name}`);
    expect(calls()).to.have.members(read);
    // What is closed later does not concern a job that has started.
    zipJobs.put(aZipJob({ spec: { sourceBuckets: ['closed'] }, status: { attemptsTotal: 1 } }));
    expect((await observe(KEY, {}))?.sourceBuckets?.[0]?.spec.readable).to.equal(false);
    expect(calls()).to.have.members(read);
  });

  it('reads the project live before an endpoint of a pending delivery counts as removed', async () => {
    const { observe, zipJobs, projects, calls } = setUp();
    projects.lagging = true;
    const url = 'https://hooks.example/';
    projects.put({ ...aZipProject(), spec: { webhook: { url, endpoints: [{ name: 'audit', url }] } } });
    function put(state: 'Pending' | 'Delivered'): void {
      const webhook = { state, endpoints: [{ name: 'audit', state }] } as const;
      zipJobs.put(aZipJob({ status: { ...finishedAs('Succeeded'), webhook } }));
    }
    put('Delivered');
    expect((await observe(KEY, {}))?.project?.spec).to.deep.equal({});
    expect(calls()).to.deep.equal([]);
    put('Pending');
    expect((await observe(KEY, {}))?.project?.spec.webhook?.endpoints?.[0]?.name).to.equal('audit');
    expect(calls()).to.deep.equal([`get ${NAMESPACE}/project`]);
    projects.catchUp();
    await observe(KEY, {});
    expect(calls()).to.have.length(1);
  });

  it('finds all Jobs of a finished ZipJob by its uid, and requests nothing (G2)', async () => {
    const { observe, zipJobs, jobs, calls } = setUp();
    const { metadata } = zipJobs.put(aZipJob({ status: finishedAs('Succeeded') }));
    function ownerOf(uid = '') {
      return [{ apiVersion: GROUP_VERSION, kind: 'ZipJob', name: NAME, uid, controller: true }];
    }
    jobs.put(aJob());
    const more = { name: 'recovery', uid: 'uid-recovery', ownerReferences: ownerOf(metadata.uid) };
    jobs.put(aJob({ metadata: more }));
    jobs.put(aJob({ metadata: { name: 'other', uid: 'uid-other', ownerReferences: ownerOf('another') } }));
    const seen = await observe(KEY, {});
    expect(seen?.ownJobs?.map((job) => job.metadata.uid)).to.deep.equal(['uid-job', 'uid-recovery']);
    expect(calls()).to.deep.equal([]);
  });

  it('uses a Job that the previous round created', async () => {
    const { observe, zipJobs } = setUp();
    zipJobs.put(aZipJob());
    expect((await observe(KEY, { job: aJob() }))?.job).to.deep.equal(aJob());
  });

  it('says until when the ZipCheckpoint of a job is not tried again', async () => {
    const { observe, zipJobs, memory } = setUp();
    zipJobs.put(aZipJob({ status: running('p1') }));
    for (const [ms, isRefused] of [
      [1, true],
      [0, false],
    ] as const) {
      memory.refusedCheckpoint(KEY, new Date(NOW.getTime() + ms));
      expect((await observe(KEY, {}))?.isCheckpointRefused).to.equal(isRefused);
    }
  });

  it('returns its own write before the cache contains it', async () => {
    const { observe, zipJobs, memory } = setUp();
    zipJobs.put(aZipJob());
    memory.keep(KEY, aZipJob({ metadata: { resourceVersion: '999' }, status: { phase: 'Queued' } }));
    expect((await observe(KEY, {}))?.zipJob.status?.phase).to.equal('Queued');
  });

  function over(type: string) {
    return { conditions: [{ type, status: 'True' }] };
  }
  const recovering: readonly { name: string; job: JobChange; pod?: Ending; want: readonly string[] }[] = [
    {
      name: 'finished although no pod is known to have ended',
      job: { status: over('Complete') },
      want: ['list'],
    },
    {
      name: 'completed although only a failed pod is known',
      job: { status: over('Complete') },
      pod: { exitCode: 1 },
      want: ['list'],
    },
    { name: 'exceeded its deadline', job: { status: over('FailureTarget') }, want: ['list'] },
    {
      name: 'is late',
      job: { metadata: { creationTimestamp: ago(31) } },
      // Without a pod, the Events are read too.
      want: ['list', 'list'],
    },
    { name: 'is new', job: { metadata: { creationTimestamp: ago(4) } }, want: [] },
    { name: 'has a successful pod', job: { status: over('Complete') }, pod: { exitCode: 0 }, want: [] },
  ];
  for (const { name, job, pod, want } of recovering)
    it(`reads the pods ${want.length > 0 ? 'live' : 'from the cache'} if a recovery Job ${name}`, async () => {
      const { observe, zipJobs, jobs, pods, calls } = setUp();
      const conditions = [aCondition('Recovered', ['False', 'Recovering'])];
      zipJobs.put(aZipJob({ status: { ...running('p1'), attempts: [{ n: 1, podUid: 'p' }], conditions } }));
      jobs.put(aJob());
      pods.put(aPod('p1'));
      jobs.put(
        aJob({ ...job, metadata: { name: `${NAME}-recover-1`, uid: 'uid-recover', ...job.metadata } }),
      );
      if (pod) pods.put(recoveryPod('s1', { status: ended(pod) }));
      expect((await observe(KEY, {}))?.recovery?.job.metadata.uid).to.equal('uid-recover');
      expect(calls()).to.deep.equal(want);
    });

  function recoveringOne() {
    return aZipJob({
      status: {
        ...running('p1'),
        attempts: [{ n: 1, podUid: 'p' }],
        conditions: [aCondition('Recovered', ['False', 'Recovering'])],
      },
    });
  }
  function recoveryJob(seconds: number, change: JobChange = {}) {
    return aJob({
      ...change,
      metadata: { name: `${NAME}-recover-1`, uid: 'uid-recover', creationTimestamp: ago(seconds) },
    });
  }

  it('ignores the pods of an earlier recovery Job of the same name (F27)', async () => {
    const { observe, zipJobs, jobs, pods } = setUp();
    zipJobs.put(recoveringOne());
    jobs.put(aJob());
    jobs.put(recoveryJob(40));
    pods.put(recoveryPod('old', {}, 'uid-of-an-earlier-job'));
    pods.put(recoveryPod('s1'));
    const seen = await observe(KEY, {});
    expect(seen?.recovery?.pods.map(({ metadata }) => metadata.name)).to.deep.equal(['s1']);
  });

  it('reads why a recovery Job has no pod (F25)', async () => {
    const { observe, zipJobs, jobs, events } = setUp();
    zipJobs.put(recoveringOne());
    jobs.put(aJob());
    jobs.put(recoveryJob(5));
    events.put(
      failedCreate('uid-recover', {
        name: 'e1',
        seconds: 1,
        message: 'Error creating: pods "a-b" is forbidden: exceeded quota: small',
      }),
    );
    expect((await observe(KEY, {}))?.podRefusal?.message).to.equal('exceeded quota: small');
  });

  it('names the quota that refuses the next step, but not one that refused an earlier step (X38)', async () => {
    const { observe, zipJobs, jobs, events, memory } = setUp();
    const said =
      'Error creating: pods "a-b" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3';
    const message = 'ResourceQuota "small" has no room: pods: 1 requested, 3 used, 3 allowed';
    zipJobs.put(recoveringOne());
    jobs.put(aJob());
    function refuse(target: 'archive' | 'recover'): void {
      const error = new KubeError(said, { attempt: 'POST', code: 'QuotaExceeded' });
      memory.refused(KEY, refusalAfter(undefined, error, { target, now: NOW }));
    }
    refuse('archive');
    expect((await observe(KEY, {}))?.quota).to.equal(undefined);
    refuse('recover');
    const refused = await observe(KEY, {});
    expect([refused?.quota?.refusal.name, refused?.refusal?.message]).to.deep.equal(['small', message]);
    jobs.put(recoveryJob(5));
    events.put(failedCreate('uid-recover', { name: 'e1', seconds: 1, message: said }));
    const podless = await observe(KEY, {});
    expect([podless?.quota?.refusal.name, podless?.podRefusal]).to.deep.equal([
      'small',
      { reason: 'QuotaExceeded', message },
    ]);
  });

  it('reads a Job that the ledger knows live before it counts as missing', async () => {
    const { observe, zipJobs, jobs, calls } = setUp(undefined, { state: 'running' });
    jobs.lagging = true;
    zipJobs.put(aZipJob({ status: { phase: 'Queued' } }));
    jobs.put(aJob());
    expect((await observe(KEY, {}))?.job?.metadata.uid).to.equal('uid-job');
    expect(calls()).to.deep.equal([`get ${KEY}`]);
  });

  it('returns undefined for a ZipJob that does not exist', async () => {
    expect(await setUp().observe(KEY, {})).to.equal(undefined);
  });
});

describe('observe for a Job without a pod', () => {
  it('reads the Events of a Job only after it has waited for a pod (F13)', async () => {
    const { observe, zipJobs, jobs, events, calls } = setUp();
    const status = { phase: 'Starting', job: { name: NAME, uid: 'uid-job' } } as const;
    zipJobs.put(aZipJob({ status }));
    jobs.put(aJob({ metadata: { creationTimestamp: ago(3) }, status: { startTime: ago(0) } }));
    expect(await observe(KEY, {})).to.include({ podRefusal: undefined });
    expect(calls()).to.deep.equal([]);
    jobs.put(aJob({ metadata: { creationTimestamp: ago(5) }, status: { startTime: ago(0) } }));
    const newest = 'Error creating: pods "a-b" is forbidden: exceeded quota: pods, used: pods=1';
    const older = 'Error creating: admission webhook "x" denied the request: no';
    events.put(failedCreate('uid-job', { name: 'new', seconds: 1, message: newest }));
    events.put(failedCreate('uid-job', { name: 'old', seconds: 4, message: older }));
    expect((await observe(KEY, {}))?.podRefusal).to.deep.equal({
      reason: 'QuotaExceeded',
      message: 'exceeded quota: pods, used: pods=1',
    });
    expect(calls()).to.have.length(1);
  });
});

import { expect } from 'chai';
import { createActOnBucket } from '#controller/zip-bucket/act.ts';
import type { BucketDecision } from '#controller/zip-bucket/observation.ts';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import { createTestPlaces } from '#controller/zip-bucket/test-places.ts';
import type { QuotaRoom } from '#controller/zip-job/lifetime/quota-room.ts';
import { KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { aZipBucket, NAMESPACE, NOW } from '#test/support/builders/objects.ts';
import { NO_QUOTA_ROOM } from '#test/support/builders/quota-room.ts';

const bucket = aZipBucket();

interface World {
  readonly waitMs?: number;
  readonly testPlaces?: ReturnType<typeof createTestPlaces>;
  readonly quotaRoom?: QuotaRoom;
}

function setUp(
  fault?: KubeErrorCode,
  {
    waitMs = 0,
    testPlaces = createTestPlaces({ inAll: 1, perProject: 1 }),
    quotaRoom = NO_QUOTA_ROOM,
  }: World = {},
) {
  const jobs = createFakeObjects<Job>();
  const calls: unknown[] = [];
  async function fail(): Promise<void> {
    if (fault) throw new KubeError('no', { attempt: 'PATCH', code: fault });
  }
  const act = createActOnBucket({
    applyStatus: async (_bucket, status) => {
      await fail();
      calls.push(status);
      return bucket;
    },
    jobs: jobs.client,
    finalizers: {
      add: async () => {
        await fail();
        calls.push('add');
        return bucket;
      },
      release: (_bucket, forced) => {
        calls.push(['release', forced]);
        return Promise.resolve(bucket);
      },
    },
    clock: { date: () => NOW },
    countWrites: { reserve: () => waitMs, release: () => undefined },
    testPlaces,
    quotaRoom,
    recordEvent: (_bucket, { reason }) => {
      calls.push(['event', reason]);
    },
    requeue: (key, ms) => {
      calls.push(['requeue', key, ms]);
    },
  });
  const seen = {
    bucket,
    unfinishedJobs: 0,
    isHeld: false,
    zipJobs: [],
    project: undefined,
    isProjectLeaving: false,
    tests: [],
    isNamespaceTerminating: false,
  };
  return { jobs, calls, run: (decision: BucketDecision) => act(seen, decision) };
}

const start = { kind: 'startTest', nonce: 'a', job: testJob(bucket, 'a', aConfig()) } as const;

describe('act on a ZipBucket', () => {
  it('writes only the status if it changes: the event of that write triggers the actions', async () => {
    const { run, calls, jobs } = setUp();
    expect(await run({ status: { activeJobs: 1 }, actions: [start] })).to.deep.equal({ kind: 'done' });
    expect([calls, jobs.all()]).to.deep.equal([[{ activeJobs: 1 }], []]);
  });

  it('records the event of a decision when its status is written (F36)', async () => {
    const event = { type: 'Warning', reason: 'StoreAway', message: 'm' } as const;
    const status = { activeJobs: 1 };
    const written = setUp();
    await written.run({ status, event, actions: [] });
    expect(written.calls).to.deep.equal([status, ['event', 'StoreAway']]);
    const refused = setUp('Conflict');
    await refused.run({ status, event, actions: [] });
    expect(refused.calls).to.deep.equal([]);
  });

  it('lets a count wait for its place, but nothing else (G6)', async () => {
    const { run, calls } = setUp(undefined, { waitMs: 700 });
    const status = { activeJobs: 1 };
    await run({ status, isCountOnly: true, actions: [{ kind: 'addFinalizer' }] });
    expect(calls).to.deep.equal([['requeue', `${NAMESPACE}/${bucket.metadata.name}`, 700], 'add']);
    await run({ status, actions: [] });
    expect(calls.at(-1)).to.equal(status);
  });

  it('lets a test wait for its place (N35)', async () => {
    const testPlaces = createTestPlaces({ inAll: 1, perProject: 1 });
    const key = `${NAMESPACE}/${bucket.metadata.name}`;
    testPlaces.take('other/s3-b');
    const { run, calls, jobs } = setUp(undefined, { testPlaces });
    await run({ actions: [start] });
    expect([calls, jobs.all()]).to.deep.equal([[['requeue', key, 2_000]], []]);
    testPlaces.release('other/s3-b');
    await run({ actions: [start] });
    expect(jobs.all()).to.have.length(1);
    expect(testPlaces.take('other/s3-b')).to.equal(false);
    // Without a test, the next reconcile gives the place up.
    await run({ actions: [] });
    expect(testPlaces.take('other/s3-b')).to.equal(true);
  });

  it('carries out the actions in order when the status does not change', async () => {
    const { run, calls, jobs } = setUp();
    const { name } = jobs.put({ metadata: { namespace: NAMESPACE, name: 'old' } }).metadata;
    await run({
      actions: [
        { kind: 'addFinalizer' },
        { kind: 'deleteTest', name, uid: 'u' },
        start,
        { kind: 'releaseFinalizer', forced: 'Forced' },
      ],
    });
    expect(calls).to.deep.equal(['add', ['release', 'Forced']]);
    expect(jobs.all().map(({ metadata }) => metadata.name)).to.deep.equal([start.job.metadata.name]);
  });

  it('finishes a test whose Job the API server rejects, and rethrows any other error', async () => {
    const { run, calls, jobs } = setUp();
    jobs.fail(new KubeError('quota', { attempt: 'POST', code: 'QuotaExceeded' }));
    await run({ actions: [start] });
    expect(calls[0]).to.have.nested.property('conditions[0].reason', 'QuotaExceeded');
    jobs.fail(new KubeError('later', { attempt: 'POST', code: 'TooManyRequests' }));
    const error = await run({ actions: [start] }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(KubeError);
  });

  it('waits for room in a quota as long as finished Jobs can be deleted for it, and then names it (X38)', async () => {
    const freed: string[] = [];
    let isFreeable = true;
    const { run, calls, jobs } = setUp(undefined, {
      quotaRoom: {
        look: (namespace, refusal) => ({ ...NO_QUOTA_ROOM.look(namespace, refusal), isFreeable }),
        free: async (_namespace, { name }) => {
          freed.push(name);
        },
      },
    });
    const said =
      'jobs.batch "a" is forbidden: exceeded quota: q, requested: count/jobs.batch=1, used: count/jobs.batch=3, limited: count/jobs.batch=3';
    jobs.fail(new KubeError(said, { attempt: 'POST', code: 'QuotaExceeded' }));
    await run({ actions: [start] });
    expect([freed, calls]).to.deep.equal([
      ['q'],
      [['requeue', `${NAMESPACE}/${bucket.metadata.name}`, 2_000]],
    ]);
    isFreeable = false;
    await run({ actions: [start] });
    expect(calls.at(-1)).to.have.nested.property(
      'conditions[0].message',
      'ResourceQuota "q" has no room: count/jobs.batch: 1 requested, 3 used, 3 allowed',
    );
  });

  it('returns conflict after a conflict, and done if the bucket is gone', async () => {
    expect(await setUp('Conflict').run({ status: {}, actions: [] })).to.deep.equal({ kind: 'conflict' });
    expect(await setUp('NotFound').run({ actions: [{ kind: 'addFinalizer' }] })).to.deep.equal({
      kind: 'done',
    });
  });
});

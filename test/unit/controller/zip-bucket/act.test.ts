import { expect } from 'chai';
import { createActOnBucket } from '#controller/zip-bucket/act.ts';
import type { BucketDecision } from '#controller/zip-bucket/observation.ts';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import { createTestPlaces } from '#controller/zip-bucket/test-places.ts';
import { KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { aZipBucket, NAMESPACE, NOW } from '#test/support/builders/objects.ts';

const bucket = aZipBucket();

function setUp(
  fault?: KubeErrorCode,
  waitMs = 0,
  testPlaces = createTestPlaces({ inAll: 1, perProject: 1 }),
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
    const { run, calls } = setUp(undefined, 700);
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
    const { run, calls, jobs } = setUp(undefined, 0, testPlaces);
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

  it('returns conflict after a conflict, and done if the bucket is gone', async () => {
    expect(await setUp('Conflict').run({ status: {}, actions: [] })).to.deep.equal({ kind: 'conflict' });
    expect(await setUp('NotFound').run({ actions: [{ kind: 'addFinalizer' }] })).to.deep.equal({
      kind: 'done',
    });
  });
});

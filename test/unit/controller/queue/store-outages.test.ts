import { expect } from 'chai';
import { createStoreOutages } from '#controller/queue/store-outages.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { Attempt, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { aZipBucket, aZipJob } from '#test/support/builders/objects.ts';
import { aCondition, anUpload, aResult, progressOf } from '#test/support/builders/zip-job-statuses.ts';

const BUCKET = objectKey(aZipBucket());

function setUp(leads = true) {
  const changes: boolean[] = [];
  const process = { leads, exists: true };
  const outages = createStoreOutages({
    leads: () => process.leads,
    exists: () => process.exists,
    onChange: (bucket) => {
      expect(bucket).to.equal(BUCKET);
      changes.push(outages.isHeld(bucket));
    },
  });
  const jobs = new Map<string, ZipJob>();
  function change(name: string, status: ZipJobStatus): void {
    const before = jobs.get(name) ?? aZipJob({ metadata: { name } });
    const object = { ...before, status: { ...before.status, ...status } };
    jobs.set(name, object);
    outages.see({ kind: 'set', key: objectKey(object), object, before });
  }
  function attemptEnds(name: string, reason: string): void {
    const attempts = jobs.get(name)?.status?.attempts ?? [];
    const attempt: Attempt = {
      n: attempts.length + 1,
      podUid: `uid-${attempts.length}`,
      class: 'transient',
      reason,
    };
    change(name, { attempts: [...attempts, attempt] });
  }
  return { outages, changes, change, attemptEnds, process };
}

describe('the outage of a store (F36)', () => {
  it('holds the bucket after three attempts in a row that found no store, of any jobs', () => {
    const { outages, changes, attemptEnds } = setUp();
    for (const name of ['a', 'b']) attemptEnds(name, 'StoreUnavailable');
    expect([outages.isHeld(BUCKET), outages.held]).to.deep.equal([false, 0]);
    attemptEnds('a', 'StoreUnavailable');
    expect([outages.isHeld(BUCKET), outages.held, changes]).to.deep.equal([true, 1, [true]]);
    attemptEnds('c', 'StoreUnavailable');
    expect(changes, 'is reported once').to.deep.equal([true]);
  });

  it('is not over because a pod continues an upload, whose parts the store lists', () => {
    const { outages, change } = held();
    const progress = { ...progressOf('uid-p2'), bytesUploaded: 5000 };
    const upload = { ...anUpload('open'), resumedBytes: 5000 };
    change('p', { progress, upload });
    expect(outages.isHeld(BUCKET)).to.equal(true);
    change('p', { progress: { ...progress, bytesUploaded: 6000 }, upload });
    expect(outages.isHeld(BUCKET)).to.equal(false);
  });

  function held() {
    const world = setUp();
    for (const name of ['a', 'b', 'c']) world.attemptEnds(name, 'StoreUnavailable');
    return world;
  }

  for (const [what, end, isHeld] of [
    ['that uploads', (world) => world.change('p', { progress: progressOf('uid-p') }), false],
    ['that succeeds', (world) => world.change('p', { result: aResult() }), false],
    ['that the store refuses', (world) => world.attemptEnds('p', 'BucketAccessDenied'), false],
    ['that finds no store either', (world) => world.attemptEnds('p', 'StoreUnavailable'), true],
    ['whose source fails', (world) => world.attemptEnds('p', 'SourceNotFound'), true],
    ['whose pod is lost', (world) => world.attemptEnds('p', 'PodGone'), true],
    ['that is cancelled', (world) => world.change('p', { phase: 'Cancelled' }), true],
  ] as const satisfies readonly (readonly [string, (world: ReturnType<typeof setUp>) => void, boolean])[])
    it(`${isHeld ? 'is not' : 'is'} over after a job ${what}`, () => {
      const world = held();
      end(world);
      expect(world.outages.isHeld(BUCKET)).to.equal(isHeld);
      expect(world.changes).to.deep.equal(isHeld ? [true] : [true, false]);
    });

  it('counts no bytes that were uploaded before it', () => {
    const world = setUp();
    world.change('r', { progress: progressOf('uid-r') });
    for (const name of ['a', 'b', 'c']) world.attemptEnds(name, 'StoreUnavailable');
    world.change('r', { progress: { ...progressOf('uid-r'), bytesRead: 5000 } });
    expect(world.outages.isHeld(BUCKET)).to.equal(true);
    world.change('r', { progress: { ...progressOf('uid-r'), bytesUploaded: 501 } });
    expect(world.outages.isHeld(BUCKET)).to.equal(false);
  });

  function bucketWith(status: 'True' | 'False', more: Partial<ZipBucket['status']> = {}): ZipBucket {
    return {
      ...aZipBucket(),
      status: { conditions: [aCondition('Held', [status, 'StoreAway'])], ...more },
    };
  }

  it('is what the leader writes for other processes, whatever they see of jobs', () => {
    const { outages, attemptEnds, process } = setUp(false);
    for (const name of ['a', 'b', 'c']) attemptEnds(name, 'StoreUnavailable');
    expect(outages.isHeld(BUCKET)).to.equal(false);
    const [free, held] = [bucketWith('False'), bucketWith('True')];
    outages.seeBucket({ kind: 'set', key: BUCKET, object: free, before: undefined });
    outages.seeBucket({ kind: 'set', key: BUCKET, object: held, before: free });
    process.leads = true;
    expect(outages.isHeld(BUCKET), 'after a failover').to.equal(true);
    outages.seeBucket({ kind: 'set', key: BUCKET, object: free, before: held });
    expect(outages.isHeld(BUCKET), 'an old event of the own writes').to.equal(true);
  });

  it('is known to the next process from the condition, and forgotten with the bucket', () => {
    const { outages, attemptEnds, process } = setUp();
    const bucket = bucketWith('True');
    outages.seeBucket({ kind: 'set', key: BUCKET, object: bucket, before: undefined });
    expect(outages.isHeld(BUCKET)).to.equal(true);
    outages.seeBucket({ kind: 'deleted', key: BUCKET, before: bucket });
    process.exists = false;
    for (const name of ['a', 'b', 'c']) attemptEnds(name, 'StoreUnavailable');
    expect([outages.isHeld(BUCKET), outages.held]).to.deep.equal([false, 0]);
  });

  it('is over after a successful test of the bucket, but not after a failed one', () => {
    const { outages } = held();
    function tested(nonce: string, status: 'True' | 'False'): ZipBucket {
      return bucketWith('True', {
        test: { nonce, finishedAt: '2026-01-01T00:00:00Z' },
        conditions: [
          aCondition('Held', ['True', 'StoreAway']),
          aCondition('Ready', [status, 'BucketTested']),
        ],
      });
    }
    const [none, failed, passed] = [bucketWith('True'), tested('1', 'False'), tested('2', 'True')];
    outages.seeBucket({ kind: 'set', key: BUCKET, object: failed, before: none });
    expect(outages.isHeld(BUCKET)).to.equal(true);
    outages.seeBucket({ kind: 'set', key: BUCKET, object: passed, before: failed });
    expect(outages.isHeld(BUCKET)).to.equal(false);
  });

  it('does not depend on a finished job of which the cache kept only a part', () => {
    const { outages } = held();
    const whole = aZipJob({
      status: {
        phase: 'Failed',
        progress: progressOf('uid-p'),
        attempts: [1, 2, 3, 4].map((n) => ({ n, podUid: `uid-${n}`, reason: 'StoreUnavailable' })),
      },
    });
    const before = aZipJob({
      status: { phase: 'Failed', attempts: [{ n: 1, podUid: '', class: 'transient' }] },
    });
    outages.see({ kind: 'set', key: objectKey(whole), object: whole, before });
    expect(outages.isHeld(BUCKET)).to.equal(true);
    const { outages: healthy } = setUp();
    healthy.see({ kind: 'set', key: objectKey(whole), object: whole, before });
    expect(healthy.isHeld(BUCKET)).to.equal(false);
  });

  it('does not count attempts that ended before this process', () => {
    const { outages } = setUp();
    const attempts = [1, 2, 3].map((n) => ({ n, podUid: `uid-${n}`, reason: 'StoreUnavailable' }));
    const object = aZipJob({ status: { phase: 'Failed', attempts } });
    outages.see({ kind: 'set', key: objectKey(object), object, before: undefined });
    expect(outages.isHeld(BUCKET)).to.equal(false);
  });
});

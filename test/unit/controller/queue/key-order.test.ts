/** Which job of one key of a bucket comes first. */
import { expect } from 'chai';
import type { Ledger } from '#controller/queue/ledger.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { objectKey as keyOf } from '#runtime/kube/types.ts';
import { ago } from '#test/support/builders/objects.ts';
import { end, type QueuedJobChange, queuedJob } from '#test/support/builders/queued-jobs.ts';
import { running } from '#test/support/builders/zip-job-statuses.ts';
import { jobBefore, setUp } from './ledger-setup.ts';

function job(name: string, age: number, change: QueuedJobChange = {}): ZipJob {
  return queuedJob(name, { key: 'k', age, ...change });
}

function see(ledger: Ledger, ...jobs: readonly ZipJob[]): void {
  for (const object of jobs) ledger.see({ kind: 'set', key: keyOf(object), object, before: undefined });
}

function suspended(one: ZipJob, suspend = true): ZipJob {
  return { ...one, spec: { ...one.spec, suspend } };
}

function acceptedAt(one: ZipJob, seconds: number): ZipJob {
  return {
    ...one,
    metadata: { ...one.metadata, annotations: { [ANNOTATIONS.acceptedAt]: ago(seconds) } },
  };
}

describe('the next job of a key', () => {
  const b = job('b', 50);
  const cases: readonly { name: string; others: readonly ZipJob[]; want?: string }[] = [
    { name: 'goes without others', others: [] },
    { name: 'waits behind an older job', others: [job('a', 60)], want: 'a' },
    { name: 'goes before a younger job', others: [job('a', 40)] },
    {
      name: 'waits behind a younger job that is already running',
      others: [job('c', 40, { status: running('p') })],
      want: 'c',
    },
    {
      name: 'waits behind a job of the same second that was accepted earlier',
      others: [acceptedAt(job('c', 50), 61)],
      want: 'c',
    },
    {
      name: 'is found by name among jobs of the same second and acceptance',
      others: [job('a', 50), job('c', 50)],
      want: 'a',
    },
    { name: 'goes before a suspended older job', others: [suspended(job('a', 60))] },
    { name: 'goes before an older job of another key', others: [job('a', 60, { key: 'other' })] },
    { name: 'goes before an older job of another bucket', others: [job('a', 60, { bucket: 's3-y' })] },
    { name: 'goes before an older job of another project', others: [job('a', 60, { project: 'b' })] },
  ];
  for (const { name, others, want } of cases)
    it(name, () => {
      for (const jobs of [
        [...others, b],
        [b, ...others],
      ]) {
        const { ledger } = setUp();
        see(ledger, ...jobs);
        expect(jobBefore(ledger, b)).to.equal(want);
      }
    });

  it('names the job that runs directly before it', () => {
    const { ledger } = setUp();
    see(ledger, job('a', 60, { status: running('p') }), b, job('c', 40), job('d', 30));
    expect(['b', 'c', 'd'].map((name) => jobBefore(ledger, job(name, 0)))).to.deep.equal(['a', 'b', 'c']);
  });

  it('waits again when an older job is resumed, also if it had requested a slot', () => {
    const { ledger, reserved, reserve } = setUp({ perBucket: 1 });
    const [blocking, old] = [job('x', 90, { key: 'other' }), job('a', 60)];
    reserve(blocking);
    see(ledger, suspended(old), b);
    expect(reserve(b)).to.deep.equal(['waiting']);
    see(ledger, suspended(old, false));
    expect(jobBefore(ledger, b)).to.equal('a');
    expect(reserve(old)).to.deep.equal(['waiting']);
    end(ledger, blocking);
    expect(reserved).to.deep.equal(['a/a']);
  });

  it('is not blocked by an older job that was suspended after it had got a slot', () => {
    const { ledger, next, reserve } = setUp();
    const old = job('a', 60);
    see(ledger, old, b);
    reserve(old);
    see(ledger, suspended(old));
    expect(jobBefore(ledger, b)).to.equal('a');
    ledger.release(keyOf(old), 'reserved');
    expect([jobBefore(ledger, b), next]).to.deep.equal([undefined, ['a/b']]);
  });

  for (const [what, change] of [
    ['is suspended', (ledger: Ledger, one: ZipJob) => see(ledger, suspended(one))],
    [
      'is deleted',
      (ledger: Ledger, one: ZipJob) => ledger.see({ kind: 'deleted', key: keyOf(one), before: one }),
    ],
    ['does not exist', (ledger: Ledger, one: ZipJob) => ledger.forget(keyOf(one))],
    ['ends', end],
  ] as const)
    it(`is reported when the job before it ${what}, and no other job is`, () => {
      const { ledger, next } = setUp();
      const old = job('a', 60);
      see(ledger, old, b, job('c', 40));
      expect(next).to.deep.equal([]);
      change(ledger, old);
      expect(next).to.deep.equal(['a/b']);
    });

  it('is not reported when it gives its own place up, because it would request it again at once', () => {
    const { ledger, next, reserve } = setUp();
    see(ledger, b, job('c', 40));
    reserve(b);
    ledger.release(keyOf(b));
    expect(next).to.deep.equal([]);
    expect(jobBefore(ledger, job('c', 40))).to.equal('b');
  });

  describe('of a bucket with two ZipBuckets (F43)', () => {
    const other = job('a', 60, { bucket: 'r2-x' });

    it('waits for jobs of the other ZipBucket, also in a trusted queue', () => {
      const { ledger, buckets, reserve } = setUp();
      for (const name of ['a/s3-x', 'a/r2-x']) buckets.set(name, 'store/x');
      see(ledger, other, b);
      expect(jobBefore(ledger, b)).to.equal('a');
      reserve(other);
      expect(jobBefore(ledger, b)).to.equal('a');
    });

    it('never waits for a job of another project, which is reported as sharing its target', () => {
      const { ledger, buckets } = setUp();
      for (const name of ['a/s3-x', 'b/s3-x']) buckets.set(name, 'store/x');
      const [foreign, elsewhere] = [job('f', 60, { project: 'b' }), job('e', 60, { key: 'other' })];
      see(ledger, b, elsewhere);
      expect([b, elsewhere].map((one) => ledger.sharesTarget(one))).to.deep.equal([false, false]);
      see(ledger, foreign);
      expect(jobBefore(ledger, b)).to.equal(undefined);
      expect([b, foreign, elsewhere].map((one) => ledger.sharesTarget(one))).to.deep.equal([
        true,
        true,
        false,
      ]);
      end(ledger, foreign);
      expect(ledger.sharesTarget(b)).to.equal(false);
    });

    it('moves when its ZipBucket becomes known or changes', () => {
      const { ledger, buckets, next } = setUp();
      see(ledger, other, b);
      expect(jobBefore(ledger, b)).to.equal(undefined);
      function change(name: string, place: string): void {
        buckets.set(name, place);
        ledger.seeBucket(name);
      }
      change('a/s3-x', 'store/x');
      change('a/r2-x', 'store/x');
      expect(jobBefore(ledger, b)).to.equal('a');
      change('a/r2-x', 'elsewhere/x');
      expect(jobBefore(ledger, b)).to.equal(undefined);
      expect(next).to.include('a/b');
    });

    it('waits for a running job whose ZipBucket becomes known after it, as when a controller starts', () => {
      const { ledger, buckets, reserve } = setUp();
      see(ledger, job('r', 40, { bucket: 'r2-x', status: running('p') }), b);
      for (const name of ['a/s3-x', 'a/r2-x']) {
        buckets.set(name, 'store/x');
        ledger.seeBucket(name);
      }
      expect([reserve(b), jobBefore(ledger, b)]).to.deep.equal([['waiting'], 'r']);
    });

    it('waits for a job that started before its ZipBucket changed, until that gives its place up', () => {
      const { ledger, buckets, reserve } = setUp();
      function change(place: string): void {
        buckets.set('a/s3-x', place);
        ledger.seeBucket('a/s3-x');
      }
      change('store/x');
      buckets.set('a/r2-x', 'store/x');
      const active = job('r', 70);
      see(ledger, active);
      reserve(active);
      change('elsewhere/x');
      see(ledger, other, b);
      expect([jobBefore(ledger, other), jobBefore(ledger, b)]).to.deep.equal(['r', undefined]);
      ledger.release(keyOf(active));
      expect([jobBefore(ledger, other), jobBefore(ledger, b)]).to.deep.equal([undefined, 'r']);
    });
  });
});

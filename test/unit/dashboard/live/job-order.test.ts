import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { createJobOrder, type JobOrder } from '#dashboard/live/job-order.ts';
import { createKnownJobs } from '#dashboard/live/known-jobs.ts';
import { type ListedJob, toListedJob } from '#dashboard/live/listed-job.ts';
import { ago, aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

function job(name: string, secondsAgo: number, status: ZipJobStatus = {}): ListedJob {
  return toListedJob(aZipJob({ metadata: { name, creationTimestamp: ago(secondsAgo) }, status }));
}

describe('createJobOrder', () => {
  let order: JobOrder;
  function set(object: ListedJob, before?: ListedJob): void {
    order.note({ kind: 'set', key: `${NAMESPACE}/${object.metadata.name}`, object, before });
  }
  function drop(before: ListedJob): void {
    order.note({ kind: 'deleted', key: `${NAMESPACE}/${before.metadata.name}`, before });
  }
  beforeEach(() => {
    order = createJobOrder();
  });

  it('sorts by age in any order of arrival, and by name within a second', () => {
    for (const one of [job('b', 10), job('d', 1), job('a', 10), job('c', 5)]) set(one);
    expect([...order.newestFirst(NAMESPACE)]).to.deep.equal(['d', 'c', 'b', 'a']);
    expect([...order.newestFirst(NAMESPACE, ago(9))]).to.deep.equal(['d', 'c']);
    expect(order.stretch(NAMESPACE, 1, 2)).to.deep.equal(['c', 'b']);
    expect(order.stretch(NAMESPACE, 3, 9)).to.deep.equal(['a']);
    expect(order.stretch(NAMESPACE, 4, 9)).to.deep.equal([]);
    expect(order.size(NAMESPACE)).to.equal(4);
    expect(order.newest(NAMESPACE)).to.deep.equal({ at: ago(1), name: 'd' });
  });

  it('keeps the place of a changed job, and removes a deleted one', () => {
    const [first, second] = [job('a', 2), job('b', 1)];
    set(first);
    set(second);
    set(first, first);
    expect(order.stretch(NAMESPACE, 0, 9)).to.deep.equal(['b', 'a']);
    drop(second);
    drop(second);
    expect(order.stretch(NAMESPACE, 0, 9)).to.deep.equal(['a']);
  });

  it('counts the jobs after a place, even when the job at that place is deleted', () => {
    const jobs = [job('a', 4), job('b', 3), job('c', 2)];
    jobs.forEach((one) => set(one));
    const place = order.newest(NAMESPACE) ?? { at: '', name: '' };
    expect(order.countAfter(NAMESPACE, place)).to.equal(0);
    set(job('d', 1));
    set(job('e', 0));
    expect(order.countAfter(NAMESPACE, place)).to.equal(2);
    jobs.forEach(drop);
    expect(order.countAfter(NAMESPACE, place)).to.equal(2);
    expect(order.countAfter(NAMESPACE, { at: '', name: '' })).to.equal(2);
    expect([ago(2), ago(1), ago(-1)].map((at) => order.countSince(NAMESPACE, at))).to.deep.equal([2, 2, 0]);
  });

  it('separates projects', () => {
    set(job('a', 2));
    expect(order.size('other')).to.equal(0);
    expect([...order.newestFirst('other')]).to.deep.equal([]);
    expect(order.newest('other')).to.equal(undefined);
  });
});

describe('the ended jobs of a project', () => {
  it('count those that failed on a day (Q-U3)', () => {
    const known = createKnownJobs();
    const key = `${NAMESPACE}/a` as const;
    function failedSince(day: string): number {
      return known.ended.failed.countSince(NAMESPACE, `${day}T00:00:00Z`);
    }
    const running = job('a', 100, { phase: 'Running' });
    known.note({ kind: 'set', key, object: running, before: undefined });
    expect(failedSince('2026-01-31')).to.equal(0);
    const ended = job('a', 100, { phase: 'Failed', finishedAt: '2026-01-31T23:59:59Z' });
    known.note({ kind: 'set', key, object: ended, before: running });
    expect(failedSince('2026-01-31')).to.equal(1);
    expect(failedSince('2026-02-01')).to.equal(0);
    known.note({ kind: 'deleted', key, before: ended });
    expect(failedSince('2026-01-31')).to.equal(0);
  });

  it('are ordered by their end, apart from each other, and follow a job that fails or is deleted (Q-U18)', () => {
    const known = createKnownJobs();
    function set(object: ListedJob, before?: ListedJob): void {
      known.note({ kind: 'set', key: `${NAMESPACE}/${object.metadata.name}`, object, before });
    }
    function failed(name: string, code: string, finishedAgo: number): ListedJob {
      const failure = { code, retriable: false };
      return job(name, 100, { phase: 'Failed', finishedAt: ago(finishedAgo), failure });
    }
    function counts(secondsAgo: number) {
      const { succeeded, failed: all, caller, operator } = known.ended;
      return [succeeded, all, caller, operator].map((one) => one.countSince(NAMESPACE, ago(secondsAgo)));
    }
    const running = job('a', 100, { phase: 'Running' });
    set(running);
    set(job('b', 100, { phase: 'Succeeded', finishedAt: ago(10) }));
    set(job('c', 100, { phase: 'Cancelled', finishedAt: ago(10) }));
    set(failed('d', 'SourceNotFound', 20));
    set(failed('e', 'Restored', 20));
    expect(counts(60)).to.deep.equal([1, 2, 1, 0]);
    const ended = failed('a', 'DeadlineExceeded', 5);
    set(ended, running);
    expect(counts(60)).to.deep.equal([1, 3, 1, 1]);
    expect(counts(15)).to.deep.equal([1, 1, 0, 1]);
    expect(known.ended.failed.newest(NAMESPACE)).to.deep.equal({ at: ago(5), name: 'a' });
    known.note({ kind: 'deleted', key: `${NAMESPACE}/a`, before: ended });
    expect(counts(60)).to.deep.equal([1, 2, 1, 0]);
  });
});

import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { createJobOrder, type JobOrder } from '#dashboard/live/job-order.ts';
import { ago, aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

function job(name: string, secondsAgo: number): ZipJob {
  return aZipJob({
    metadata: { name, creationTimestamp: ago(secondsAgo) },
  });
}

describe('createJobOrder', () => {
  let order: JobOrder;
  function set(object: ZipJob, before?: ZipJob): void {
    order.note({ kind: 'set', key: `${NAMESPACE}/${object.metadata.name}`, object, before });
  }
  function drop(before: ZipJob): void {
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
  });

  it('separates projects', () => {
    set(job('a', 2));
    expect(order.size('other')).to.equal(0);
    expect([...order.newestFirst('other')]).to.deep.equal([]);
    expect(order.newest('other')).to.equal(undefined);
  });
});

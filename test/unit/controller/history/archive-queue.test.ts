import { expect } from 'chai';
import { type ArchiveQueue, createArchiveQueue } from '#controller/history/archive-queue.ts';

function takeAll(queue: ArchiveQueue): readonly string[] {
  const taken: string[] = [];
  for (let job = queue.take(); job; job = queue.take()) taken.push(job.key);
  return taken;
}

function filled(limit: number, ...jobs: readonly (readonly [string, number])[]): ArchiveQueue {
  const queue = createArchiveQueue(limit);
  for (const [key, finishedAtMs] of jobs) queue.add({ key, finishedAtMs, isUrgent: false });
  return queue;
}

describe('the queue of the history', () => {
  it('takes the oldest of each project, one project after another (G8)', () => {
    const queue = filled(10, ['a/3', 3], ['a/1', 1], ['a/2', 2], ['b/9', 9], ['b/8', 8], ['c/7', 7]);
    expect(queue.oldestMs()).to.equal(1);
    expect(takeAll(queue)).to.deep.equal(['a/1', 'b/8', 'c/7', 'a/2', 'b/9', 'a/3']);
    expect([queue.size, queue.oldestMs()]).to.deep.equal([0, undefined]);
  });

  it('takes jobs that are being deleted before all others, also when it is full', () => {
    const queue = filled(2, ['a/1', 1], ['a/2', 2]);
    expect(queue.add({ key: 'b/9', finishedAtMs: 9, isUrgent: true })).to.equal(true);
    expect(queue.add({ key: 'a/2', finishedAtMs: 2, isUrgent: true })).to.equal(true);
    expect(queue.size).to.equal(3);
    expect(takeAll(queue)).to.deep.equal(['b/9', 'a/2', 'a/1']);
  });

  it('contains each key once, and not more keys than its limit', () => {
    const queue = filled(2, ['a/1', 1], ['a/1', 1], ['a/2', 2]);
    expect(queue.add({ key: 'a/3', finishedAtMs: 3, isUrgent: false })).to.equal(false);
    expect(queue.add({ key: 'a/1', finishedAtMs: 1, isUrgent: false })).to.equal(true);
    expect(queue.size).to.equal(2);
    expect(takeAll(queue)).to.deep.equal(['a/1', 'a/2']);
  });

  it('takes no key that was removed, and each key again that was added again', () => {
    const queue = filled(10, ['a/1', 1], ['a/2', 2], ['b/1', 1]);
    queue.remove('a/1');
    queue.remove('b/1');
    queue.remove('b/1');
    expect(queue.size).to.equal(1);
    for (let n = 0; n < 1_000; n += 1) {
      queue.add({ key: 'b/1', finishedAtMs: 1, isUrgent: false });
      queue.remove('b/1');
    }
    queue.add({ key: 'b/1', finishedAtMs: 1, isUrgent: false });
    expect(takeAll(queue)).to.have.members(['a/2', 'b/1']);
    expect(queue.take()).to.equal(undefined);
  });
});

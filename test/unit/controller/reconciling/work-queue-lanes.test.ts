import { expect } from 'chai';
import { createWorkQueue } from '#controller/reconciling/work-queue.ts';
import { createLogger } from '#runtime/log/log.ts';
import { startQueue } from './work-queue-fixture.ts';

describe('createWorkQueue with lanes', () => {
  it('takes changed keys first, and one in eight from a full reconcile (G3)', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue({ workers: 1 });
    for (let n = 0; n < 3; n += 1) queue.add(`rest-${n}`, 'resync');
    for (let n = 0; n < 10; n += 1) queue.add(`changed-${n}`);
    await clock.advance(0);
    for (let n = 0; n < 13; n += 1) await finish(taken.at(-1) ?? '');
    expect(taken.map((key) => key.slice(0, 4)).join(' ')).to.equal(
      'chan chan chan chan chan chan chan rest chan chan chan rest rest',
    );
    stop();
    await running;
  });

  it('moves a key of a full reconcile forward when it changes, and runs it once (G3)', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue({ workers: 1 });
    for (const key of ['a', 'b', 'c']) queue.add(key, 'resync');
    queue.add('c');
    queue.add('c', 'resync');
    expect(queue.depth).to.equal(3);
    await clock.advance(0);
    for (const key of ['c', 'a', 'b']) await finish(key);
    expect(taken).to.deep.equal(['c', 'a', 'b']);
    stop();
    await running;
  });

  it('takes jobs with a result before thousands that start, and leaves one in four to the others (G5)', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue({ workers: 1 });
    for (let n = 0; n < 5; n += 1) queue.add(`starts-${n}`);
    for (let n = 0; n < 3; n += 1) queue.add(`rests-${n}`, 'resync');
    for (let n = 0; n < 8; n += 1) queue.add(`ends-${n}`, 'end');
    await clock.advance(0);
    for (let n = 0; n < 16; n += 1) await finish(taken.at(-1) ?? '');
    expect(taken.map((key) => key.slice(0, 4)).join(' ')).to.equal(
      'ends ends ends star ends ends ends rest ends ends star star star star rest rest',
    );
    stop();
    await running;
  });

  it('moves a job forward whose result arrives while it waits, or while it is reconciled (G5)', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue({ workers: 1 });
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await clock.advance(0);
    queue.add('c', 'end');
    queue.add('a');
    queue.add('a', 'end');
    queue.add('a');
    for (const key of ['a', 'c', 'a', 'b', 'd']) await finish(key);
    expect(taken).to.deep.equal(['a', 'c', 'a', 'b', 'd']);
    expect(queue.depth).to.equal(0);
    stop();
    await running;
  });

  it('adds a key that is due to the lane of its object (G3)', async () => {
    function laneWhenDue(key: string) {
      return key === 'rests' ? 'resync' : 'change';
    }
    const { queue, clock, taken, stop, finish, running } = startQueue({ workers: 1, laneWhenDue });
    queue.add('first');
    for (const key of ['rests', 'runs']) queue.addAfter(key, 100);
    await clock.advance(100);
    for (const key of ['first', 'runs', 'rests']) await finish(key);
    expect(taken).to.deep.equal(['first', 'runs', 'rests']);
    stop();
    await running;
  });

  it('lets the process receive events during a full reconcile of 50,000 keys that request nothing (G3)', async () => {
    const queue = createWorkQueue({ log: createLogger('test', { level: 'silent' }) });
    for (let n = 0; n < 50_000; n += 1) queue.add(`rest-${n}`, 'resync');
    const abort = new AbortController();
    let [taken, addedAt, takenAt] = [0, 0, 0];
    function addNew(): void {
      addedAt = taken;
      queue.add('new');
    }
    async function process(key: string): Promise<void> {
      taken += 1;
      if (taken === 1_000) setImmediate(addNew);
      // About what a reconcile of a job at rest costs.
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
      if (key === 'new') takenAt = taken;
      if (taken > 50_000) abort.abort();
    }
    await queue.run(process, { workers: 32, signal: abort.signal });
    expect(addedAt).to.be.within(1_000, 49_000);
    expect(takenAt - addedAt).to.be.at.most(64);
  });

  it('drops the delay of a key whose object is gone (G3)', async () => {
    const { queue, clock, taken, stop, running } = startQueue();
    queue.addAfter('a', 100);
    expect(queue.delayed).to.equal(1);
    queue.cancel('a');
    await clock.advance(1_000);
    expect([queue.delayed, taken, clock.pending]).to.deep.equal([0, [], 0]);
    stop();
    await running;
  });
});

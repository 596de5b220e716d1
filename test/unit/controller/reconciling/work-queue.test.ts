import { expect } from 'chai';
import { createWorkQueue } from '#controller/reconciling/work-queue.ts';
import { createLogger } from '#runtime/log/log.ts';
import { startQueue } from './work-queue-fixture.ts';

describe('createWorkQueue', () => {
  it('takes keys in the order of arrival, each once', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue({ workers: 1 });
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(queue.depth).to.equal(3);
    for (const key of ['a', 'b', 'c']) {
      await clock.advance(0);
      await finish(key);
    }
    expect(taken).to.deep.equal(['a', 'b', 'c']);
    stop();
    await running;
  });

  it('takes keys round-robin over groups, even if many keys of one group come first', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue({
      workers: 1,
      groupOf: (key) => key.slice(0, 1),
    });
    for (const key of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.add(key);
    for (let turn = 0; turn < 6; turn += 1) {
      await clock.advance(0);
      await finish(taken.at(-1) ?? '');
    }
    expect(taken).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    stop();
    await running;
  });

  it('gives a group at most half of the workers, also if no other group has keys', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue({
      workers: 4,
      groupOf: (key) => key.slice(0, 1),
    });
    for (const key of ['a1', 'a2', 'a3', 'a4', 'a5']) queue.add(key);
    await clock.advance(0);
    expect(taken).to.deep.equal(['a1', 'a2']);
    for (const key of ['b1', 'b2', 'c1']) queue.add(key);
    await clock.advance(0);
    expect(taken).to.deep.equal(['a1', 'a2', 'b1', 'c1']);
    for (const key of ['a1', 'c1', 'b1', 'b2']) await finish(key);
    expect(taken.slice(4), 'a2 and a3 are running').to.deep.equal(['a3', 'b2']);
    for (const key of ['a2', 'a3', 'a4', 'a5']) await finish(key);
    expect(taken.slice(6)).to.deep.equal(['a4', 'a5']);
    queue.add('a1');
    await clock.advance(0);
    expect(taken.at(-1)).to.equal('a1');
    await finish('a1');
    stop();
    await running;
  });

  it('makes a key wait for at most one key of each other group while a thousand keys of one group are requeued', async () => {
    const abort = new AbortController();
    const queue = createWorkQueue({
      log: createLogger('test', { level: 'silent' }),
      groupOf: (key) => key.split('/')[0] ?? '',
    });
    let [turns, addedAt] = [0, 0];
    const waits: number[] = [];
    for (let index = 0; index < 1000; index += 1) queue.add(`busy/${index}`);
    await queue.run(
      async (key) => {
        turns += 1;
        if (key === 'quiet/webhook') waits.push(turns - addedAt);
        else queue.add(key);
        if (turns % 500 === 0) {
          addedAt = turns;
          queue.add('quiet/webhook');
        }
        if (turns === 5_002) abort.abort();
      },
      { workers: 1, signal: abort.signal },
    );
    expect(waits).to.have.lengthOf(10);
    expect(Math.max(...waits)).to.be.at.most(2);
  });

  it('gives a key to one worker at a time, and runs it again if it was added meanwhile', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue({ workers: 3 });
    queue.add('a');
    await clock.advance(0);
    queue.add('a');
    queue.add('a');
    await clock.advance(0);
    expect(taken).to.deep.equal(['a']);
    expect(queue.depth).to.equal(0);
    await finish('a');
    expect(taken).to.deep.equal(['a', 'a']);
    await finish('a');
    await clock.advance(10_000);
    expect(taken).to.deep.equal(['a', 'a']);
    stop();
    await running;
  });

  it('runs as many reconciles concurrently as there are workers', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue({ workers: 2 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await clock.advance(0);
    expect(taken).to.deep.equal(['a', 'b']);
    await finish('b');
    expect(taken).to.deep.equal(['a', 'b', 'c']);
    for (const key of ['a', 'c']) await finish(key);
    stop();
    await running;
  });

  it('adds a delayed key at the earliest requested time', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue();
    queue.addAfter('a', 500);
    queue.addAfter('a', 300);
    queue.addAfter('a', 900);
    queue.addAfter('b', 0);
    await clock.advance(299);
    expect(taken).to.deep.equal(['b']);
    await clock.advance(1);
    expect(taken).to.deep.equal(['b', 'a']);
    await finish('a');
    await finish('b');
    await clock.advance(1_000);
    expect(taken).to.deep.equal(['b', 'a']);
    stop();
    await running;
  });

  it('doubles the delay of a failing key up to the maximum, until the key is forgotten', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue();
    const waits: number[] = [];
    queue.add('a');
    await clock.advance(0);
    for (let failures = 0; failures < 5; failures += 1) {
      await finish('a', new Error('no'));
      const failedMs = clock.monotonicMs();
      while (taken.length === failures + 1) await clock.advance(10);
      waits.push(clock.monotonicMs() - failedMs);
    }
    for (const [index, bound] of [100, 200, 400, 800, 1_000].entries())
      expect(waits[index]).to.be.within(bound / 2, bound + 10);
    queue.forget('a');
    await finish('a');
    queue.addRateLimited('a');
    await clock.advance(125);
    expect(taken.length).to.equal(7);
    await finish('a');
    stop();
    await running;
  });

  it('counts like controller-runtime', async () => {
    const { queue, clock, stop, finish, running, counted } = startQueue({ workers: 1 });
    queue.add('a');
    queue.add('a');
    await clock.advance(0);
    queue.add('b');
    await clock.advance(2_000);
    expect([queue.longestRunningMs(), queue.unfinishedMs()]).to.deep.equal([2_000, 2_000]);
    await finish('a');
    expect([queue.longestRunningMs(), queue.unfinishedMs()]).to.deep.equal([0, 0]);
    await finish('b');
    stop();
    await running;
    expect(counted.join(', ')).to.equal(
      'added, depth 1, depth 0, started 0, added, depth 1, finished 2, depth 0, started 2, finished 0',
    );
  });

  it('ends after the running reconciles, takes no further key, and leaves no timer', async () => {
    const { queue, clock, taken, stop, finish, running } = startQueue({ workers: 1 });
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 60_000);
    await clock.advance(0);
    let ended = false;
    const end = running.then(() => {
      ended = true;
    });
    stop();
    queue.add('d');
    queue.addAfter('e', 10);
    await clock.advance(100);
    expect(ended).to.equal(false);
    await finish('a', new Error('stopped'));
    await end;
    expect(taken).to.deep.equal(['a']);
    expect(clock.pending).to.equal(0);
  });

  it('ends without the reconciles that exceed the drain limit', async () => {
    const { queue, clock, stop, running } = startQueue();
    queue.add('a');
    await clock.advance(0);
    stop();
    await clock.advance(5_000);
    await running;
    expect(clock.pending).to.equal(0);
  });

  it('ends immediately if it was stopped before it started', async () => {
    const queue = createWorkQueue({ log: createLogger('test', { level: 'silent' }) });
    queue.add('a');
    function process(): Promise<void> {
      return Promise.reject(new Error('must not run'));
    }
    await queue.run(process, { workers: 2, signal: AbortSignal.abort() });
  });
});

import { expect } from 'chai';
import { type ChangeQueue, createChangeQueue } from '#test/dev/change-queue.ts';
import { createManualClock, type ManualClock } from '#test/support/builders/manual-clock.ts';

describe('createChangeQueue', () => {
  let clock: ManualClock;
  let queue: ChangeQueue;
  let calls: (readonly string[])[];
  let finish: () => void;

  beforeEach(() => {
    clock = createManualClock();
    calls = [];
    queue = createChangeQueue({
      clock,
      apply: (paths) => {
        calls.push(paths);
        const { promise, resolve } = Promise.withResolvers<void>();
        finish = resolve;
        return promise;
      },
    });
  });

  it('applies all changes together, each path once, after 200 ms without a change', async () => {
    queue.add('b');
    await clock.advance(199);
    queue.add('a');
    queue.add('b');
    await clock.advance(199);
    expect(calls).to.deep.equal([]);
    await clock.advance(1);
    expect(calls).to.deep.equal([['a', 'b']]);
  });

  it('applies changes during a call by one further call', async () => {
    queue.add('a');
    await clock.advance(200);
    queue.add('b');
    await clock.advance(200);
    queue.add('c');
    await clock.advance(1_000);
    expect(calls).to.deep.equal([['a']]);
    finish();
    await clock.advance(0);
    expect(calls).to.deep.equal([['a'], ['b', 'c']]);
    finish();
    await clock.advance(1_000);
    expect(calls).to.have.length(2);
  });

  it('waits for 200 ms without a change even if a call ends meanwhile', async () => {
    queue.add('a');
    await clock.advance(200);
    queue.add('b');
    finish();
    await clock.advance(199);
    expect(calls).to.have.length(1);
    await clock.advance(1);
    expect(calls).to.deep.equal([['a'], ['b']]);
  });

  it('drops pending changes and waits for the running call when it is disposed of', async () => {
    queue.add('a');
    await clock.advance(200);
    queue.add('b');
    let hasEnded = false;
    const ending = queue[Symbol.asyncDispose]().then(() => {
      hasEnded = true;
    });
    await clock.advance(1_000);
    expect(hasEnded).to.equal(false);
    finish();
    await ending;
    expect(calls).to.deep.equal([['a']]);
    expect(clock.pending).to.equal(0);
  });
});

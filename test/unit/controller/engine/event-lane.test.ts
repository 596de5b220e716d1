import { expect } from 'chai';
import { createEventLane, type EventLaneOptions } from '#controller/engine/event-lane.ts';
import { createLogger } from '#runtime/log.ts';
import { aZipJob } from '#test/support/builders/builders.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { until } from '#test/support/until.ts';

const setUp = (options: Partial<EventLaneOptions> = {}) => {
  const told: string[] = [];
  const answers: (() => void)[] = [];
  const clock = createManualClock();
  const lane = createEventLane({
    record: async (_zipJob, { reason }) => {
      told.push(reason);
      await new Promise<void>((resolve) => {
        answers.push(resolve);
      });
    },
    clock,
    log: createLogger('test', { level: 'silent' }),
    ...options,
  });
  const add = (...reasons: readonly string[]): void => {
    for (const reason of reasons) lane.add(aZipJob(), { type: 'Normal', reason, message: '' });
  };
  const answer = (): void => {
    for (const resolve of answers.splice(0)) resolve();
  };
  return { lane, add, told, answer, clock };
};

describe('createEventLane', () => {
  it('waits for no answer, and has only so many calls under way', async () => {
    const { add, told, answer } = setUp({ concurrency: 2 });
    add('a', 'b', 'c', 'd', 'e');
    expect(told).to.deep.equal(['a', 'b']);
    answer();
    await until('the next two', () => told.length === 4);
    answer();
    await until('the last', () => told.length === 5);
    answer();
    expect(told).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
  });

  it('drops what is beyond its capacity, and goes on afterwards', async () => {
    const { add, told, answer } = setUp({ concurrency: 1, capacity: 1 });
    add('a', 'b', 'lost');
    answer();
    await until('b', () => told.length === 2);
    answer();
    add('c');
    await until('c', () => told.length === 3);
    answer();
    expect(told).to.deep.equal(['a', 'b', 'c']);
  });

  it('namespaces take turns, and one that is beyond its capacity costs no other one anything', async () => {
    const { lane, add, told, answer } = setUp({ concurrency: 1, capacity: 2 });
    add('a', 'b', 'c', 'lost');
    lane.add(aZipJob({ metadata: { namespace: 'other' } }), { type: 'Normal', reason: 'other', message: '' });
    for (const count of [2, 3, 4]) {
      answer();
      await until(`event ${count}`, () => told.length === count);
    }
    answer();
    expect(told).to.deep.equal(['a', 'b', 'other', 'c']);
  });

  it('tells at its end what is left', async () => {
    const { lane, add, told, answer, clock } = setUp({ concurrency: 1 });
    add('a', 'b');
    const ended = lane[Symbol.asyncDispose]();
    answer();
    await until('b', () => told.length === 2);
    answer();
    await ended;
    expect(clock.pending).to.equal(0);
  });

  it('leaves behind at its end what the API server does not answer in time', async () => {
    const { lane, add, told, answer, clock } = setUp({ concurrency: 1, drainMs: 100 });
    add('a', 'b');
    const ended = lane[Symbol.asyncDispose]();
    await clock.advance(100);
    await ended;
    answer();
    await clock.advance(0);
    expect(told).to.deep.equal(['a']);
  });
});

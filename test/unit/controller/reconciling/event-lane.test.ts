import { expect } from 'chai';
import { createEventLane, type EventLaneOptions } from '#controller/reconciling/event-lane.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { until } from '#test/support/until.ts';

function setUp(options: Partial<EventLaneOptions> = {}) {
  const reported: string[] = [];
  const responses: (() => void)[] = [];
  const clock = createManualClock();
  const lane = createEventLane({
    record: async (_zipJob, { reason }) => {
      reported.push(reason);
      await new Promise<void>((resolve) => {
        responses.push(resolve);
      });
    },
    clock,
    log: createLogger('test', { level: 'silent' }),
    ...options,
  });
  function add(...reasons: readonly string[]): void {
    for (const reason of reasons) lane.add(aZipJob(), { type: 'Normal', reason, message: '' });
  }
  function respond(): void {
    for (const resolve of responses.splice(0)) resolve();
  }
  return { lane, add, reported, respond, clock };
}

describe('createEventLane', () => {
  it('does not wait for responses, and limits the concurrent calls', async () => {
    const { add, reported, respond } = setUp({ concurrency: 2 });
    add('a', 'b', 'c', 'd', 'e');
    expect(reported).to.deep.equal(['a', 'b']);
    respond();
    await until('the next two', () => reported.length === 4);
    respond();
    await until('the last', () => reported.length === 5);
    respond();
    expect(reported).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
  });

  it('drops events beyond its capacity, and continues afterwards', async () => {
    const { add, reported, respond } = setUp({ concurrency: 1, capacity: 1 });
    add('a', 'b', 'lost');
    respond();
    await until('b', () => reported.length === 2);
    respond();
    add('c');
    await until('c', () => reported.length === 3);
    respond();
    expect(reported).to.deep.equal(['a', 'b', 'c']);
  });

  it('serves namespaces round-robin, and limits the queue of each namespace separately', async () => {
    const { lane, add, reported, respond } = setUp({ concurrency: 1, capacity: 2 });
    add('a', 'b', 'c', 'lost');
    lane.add(aZipJob({ metadata: { namespace: 'other' } }), { type: 'Normal', reason: 'other', message: '' });
    for (const count of [2, 3, 4]) {
      respond();
      await until(`event ${count}`, () => reported.length === count);
    }
    respond();
    expect(reported).to.deep.equal(['a', 'b', 'other', 'c']);
  });

  it('sends the remaining events on dispose', async () => {
    const { lane, add, reported, respond, clock } = setUp({ concurrency: 1 });
    add('a', 'b');
    const ended = lane[Symbol.asyncDispose]();
    respond();
    await until('b', () => reported.length === 2);
    respond();
    await ended;
    expect(clock.pending).to.equal(0);
  });

  it('drops the remaining events on dispose if the API server does not respond in time', async () => {
    const { lane, add, reported, respond, clock } = setUp({ concurrency: 1, drainMs: 100 });
    add('a', 'b');
    const ended = lane[Symbol.asyncDispose]();
    await clock.advance(100);
    await ended;
    respond();
    await clock.advance(0);
    expect(reported).to.deep.equal(['a']);
  });
});

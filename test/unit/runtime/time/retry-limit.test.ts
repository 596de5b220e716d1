import { expect } from 'chai';
import { RetryLimit } from '#runtime/time/retry-limit.ts';

describe('RetryLimit', () => {
  let now: number;
  let limit: RetryLimit;
  beforeEach(() => {
    now = 1000;
    limit = new RetryLimit(100, () => now);
  });

  it('is over when a request has waited for the time without a success (F36)', () => {
    limit.begin();
    now += 99;
    expect(limit.isOver).to.equal(false);
    now += 1;
    expect(limit.isOver).to.equal(true);
  });

  it('restarts when any request succeeds (F36)', () => {
    limit.begin();
    limit.begin();
    now += 90;
    limit.restart();
    limit.end();
    now += 90;
    expect(limit.isOver).to.equal(false);
    now += 10;
    expect(limit.isOver).to.equal(true);
  });

  it('does not count the time in which no request waits (F36)', () => {
    limit.begin();
    now += 60;
    limit.end();
    now += 1_000_000;
    limit.begin();
    now += 39;
    expect(limit.isOver).to.equal(false);
    now += 1;
    expect(limit.isOver).to.equal(true);
  });

  it('counts requests that wait at the same time once (F36)', () => {
    for (let requests = 0; requests < 3; requests += 1) limit.begin();
    now += 40;
    for (let requests = 0; requests < 3; requests += 1) limit.end();
    expect(limit.elapsedMs).to.equal(40);
  });

  it('does not count a wait that is not the fault of the request, even if it fails', async () => {
    limit.begin();
    const later = Promise.withResolvers<void>();
    const waiting = limit.excluding(later.promise).catch(() => 'failed');
    now += 1_000_000;
    later.reject(new Error('no'));
    expect(await waiting).to.equal('failed');
    now += 99;
    expect(limit.isOver).to.equal(false);
  });

  it('allows no retry at all with a time of 0', () => {
    const none = new RetryLimit(0, () => now);
    none.begin();
    expect(none.isOver).to.equal(true);
  });

  it('does not count time that was rewound (FD2)', () => {
    limit.begin();
    now += 60;
    const { elapsedMs } = limit;
    now += 1_000_000;
    limit.rewind(elapsedMs);
    now += 39;
    expect(limit.isOver).to.equal(false);
    now += 1;
    expect(limit.isOver).to.equal(true);
  });
});

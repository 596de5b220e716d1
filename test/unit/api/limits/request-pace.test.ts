import { expect } from 'chai';
import { createRequestPace, MAX_DEBT_MS } from '#api/limits/request-pace.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

const REQUESTS = 1_000;

describe('createRequestPace', () => {
  it('delays no request of a subject within its rate (N7)', () => {
    const clock = createManualClock();
    const pace = createRequestPace({ clock, burstMs: 2_000 });
    for (let n = 0; n < REQUESTS; n += 1) {
      expect(pace.request('a', 100)).to.equal(0);
      clock.jump(10);
    }
  });

  it('spreads requests evenly after a burst of two seconds, and refuses those that would wait longer (N7)', () => {
    const pace = createRequestPace({ clock: createManualClock(), burstMs: 2_000 });
    const delays = Array.from({ length: REQUESTS }, () => pace.request('a', 64));
    expect(delays.slice(0, 128)).to.deep.equal(Array.from({ length: 128 }, () => 0));
    const waits = Array.from({ length: 128 }, (_, index) => ((index + 1) * 1_000) / 64);
    expect(delays.slice(128, 256)).to.deep.equal(waits);
    expect(new Set(delays.slice(256))).to.deep.equal(new Set([2_000 + 1_000 / 64]));
  });

  it('does not count refused requests (N7)', () => {
    const clock = createManualClock();
    const pace = createRequestPace({ clock, burstMs: 2_000 });
    for (let n = 0; n < REQUESTS; n += 1) pace.request('a', 64);
    clock.jump(1_000);
    expect(pace.request('a', 64)).to.equal(1_015.625);
  });

  it('delays no other subject (N7)', () => {
    const pace = createRequestPace({ clock: createManualClock(), burstMs: 2_000 });
    for (let n = 0; n < REQUESTS; n += 1) pace.request('a', 100);
    expect(pace.request('b', 100)).to.equal(0);
  });

  it('forgets a burst after a pause', () => {
    const clock = createManualClock();
    const pace = createRequestPace({ clock, burstMs: 2_000 });
    for (let n = 0; n < REQUESTS; n += 1) pace.request('a', 100);
    clock.jump(60_000);
    const delays = Array.from({ length: 200 }, () => pace.request('a', 100));
    expect(Math.max(...delays)).to.equal(0);
  });

  it('makes no request wait longer than a minute for what was charged, however low the rate is', () => {
    const clock = createManualClock();
    const pace = createRequestPace({ clock, burstMs: 10_000 });
    pace.charge('a', 10_000, 1);
    pace.charge('a', 10_000, 1);
    expect(pace.debtMs('a')).to.equal(MAX_DEBT_MS);
    clock.jump(MAX_DEBT_MS);
    expect(pace.debtMs('a')).to.equal(0);
  });

  it('makes the next requests wait for what was charged, and charges nothing itself (N7)', () => {
    const clock = createManualClock();
    const pace = createRequestPace({ clock, burstMs: 10_000 });
    pace.charge('a', 10_000, 2_000);
    expect(pace.debtMs('a')).to.equal(0);
    pace.charge('a', 10_000, 2_000);
    pace.charge('a', 6_000, 2_000);
    expect([pace.debtMs('a'), pace.debtMs('a'), pace.debtMs('b')]).to.deep.equal([3_000, 3_000, 0]);
    clock.jump(2_000);
    expect(pace.debtMs('a')).to.equal(1_000);
    clock.jump(60_000);
    pace.charge('a', 20_000, 2_000);
    expect(pace.debtMs('a')).to.equal(0);
  });
});

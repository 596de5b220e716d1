import { expect } from 'chai';
import { createRequestPace } from '#api/rate-limits/request-pace.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

const REQUESTS = 1_000;

describe('createRequestPace', () => {
  it('delays no request of a subject within its rate (N7)', () => {
    const clock = createManualClock();
    const delayRequest = createRequestPace(clock);
    for (let n = 0; n < REQUESTS; n += 1) {
      expect(delayRequest('a', 100)).to.equal(0);
      clock.jump(10);
    }
  });

  it('spreads requests evenly after a burst of two seconds, and refuses those that would wait longer (N7)', () => {
    const delayRequest = createRequestPace(createManualClock());
    const delays = Array.from({ length: REQUESTS }, () => delayRequest('a', 64));
    expect(delays.slice(0, 128)).to.deep.equal(Array.from({ length: 128 }, () => 0));
    const waits = Array.from({ length: 128 }, (_, index) => ((index + 1) * 1_000) / 64);
    expect(delays.slice(128, 256)).to.deep.equal(waits);
    expect(new Set(delays.slice(256))).to.deep.equal(new Set([Infinity]));
  });

  it('does not count refused requests (N7)', () => {
    const clock = createManualClock();
    const delayRequest = createRequestPace(clock);
    for (let n = 0; n < REQUESTS; n += 1) delayRequest('a', 64);
    clock.jump(1_000);
    expect(delayRequest('a', 64)).to.equal(1_015.625);
  });

  it('delays no other subject (N7)', () => {
    const delayRequest = createRequestPace(createManualClock());
    for (let n = 0; n < REQUESTS; n += 1) delayRequest('a', 100);
    expect(delayRequest('b', 100)).to.equal(0);
  });

  it('forgets a burst after a pause', () => {
    const clock = createManualClock();
    const delayRequest = createRequestPace(clock);
    for (let n = 0; n < REQUESTS; n += 1) delayRequest('a', 100);
    clock.jump(60_000);
    const delays = Array.from({ length: 200 }, () => delayRequest('a', 100));
    expect(Math.max(...delays)).to.equal(0);
  });
});

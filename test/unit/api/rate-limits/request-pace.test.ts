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

  it('spreads requests evenly after a burst of two seconds (N7)', () => {
    const delayRequest = createRequestPace(createManualClock());
    const delays = Array.from({ length: REQUESTS }, () => delayRequest('a', 100));
    const [first = 0, second = 0] = delays.filter((ms) => ms > 0);
    expect(delays.filter((ms) => ms === 0)).to.have.lengthOf(200);
    expect(first).to.be.closeTo(10, 0.001);
    expect(second).to.be.closeTo(20, 0.001);
    expect(delays.at(-1)).to.be.closeTo((REQUESTS - 200) * 10, 0.001);
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

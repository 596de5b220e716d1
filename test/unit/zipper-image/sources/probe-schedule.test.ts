import { expect } from 'chai';
import { type ProbeLimits, ProbeSchedule } from '#zipper-image/sources/probe-schedule.ts';

const LIMITS: ProbeLimits = { leastMs: 62, mostMs: 60_000 };

/** How long the schedule waits for an origin that throttles for this time, and with how many probes. */
function waitFor(schedule: ProbeSchedule, throttledMs: number, requestedMs?: number) {
  schedule.start(0);
  let now = 0;
  let probes = 0;
  while (probes === 0 || now < throttledMs) {
    now += schedule.nextMs(now, requestedMs);
    probes += 1;
  }
  schedule.end(now);
  return { overshoot: now / throttledMs - 1, probes };
}

describe('ProbeSchedule', () => {
  for (const throttledMs of [700, 5000, 47_000, 58_000, 500_000]) {
    it(`waits at most a quarter too long for a limit of ${throttledMs} ms, and then at most an eighth, with few probes (FD2)`, () => {
      const schedule = new ProbeSchedule({ ...LIMITS, mostMs: 10 * LIMITS.mostMs });
      const first = waitFor(schedule, throttledMs);
      expect(first.overshoot).to.be.within(0, 0.25);
      expect(first.probes).to.be.at.most(45);
      for (let n = 0; n < 20; n += 1) {
        const next = waitFor(schedule, throttledMs * (1 + (n % 3) / 100));
        expect(next.overshoot).to.be.within(0, 0.125);
        expect(next.probes).to.be.at.most(16);
      }
    });
  }

  it('forgets a long limit when a shorter one is met (FD2)', () => {
    const schedule = new ProbeSchedule(LIMITS);
    waitFor(schedule, 50_000);
    for (let n = 0; n < 12; n += 1) waitFor(schedule, 100);
    expect(waitFor(schedule, 100).overshoot).to.be.below(1);
  });

  it('waits as long as the origin requests, within the limits, and not longer the next time (FD2) (FD19)', () => {
    const schedule = new ProbeSchedule(LIMITS);
    expect(waitFor(schedule, 30_000, 30_000)).to.deep.equal({ overshoot: 0, probes: 1 });
    schedule.start(0);
    expect([0, 1, 3_600_000].map((requestedMs) => schedule.nextMs(0, requestedMs))).to.deep.equal([
      62, 62, 60_000,
    ]);
    expect(schedule.nextMs(60_000)).to.equal(62);
  });
});

import { expect } from 'chai';
import { StallWatch } from '#zipper-image/sources/stall-watch.ts';

const LIMITS = { idleTimeoutMs: 1000, minRateBytes: 100, minRateWindowMs: 5000 };

/** Checks every tick from `from` to `to`; returns the first verdict and its time. */
function run(watch: StallWatch, span: { from: number; to: number }, bytesAt: (now: number) => number) {
  for (let now = span.from; now <= span.to; now += watch.tickMs) {
    const verdict = watch.check(bytesAt(now), now);
    if (verdict) return { verdict, now };
  }
  return undefined;
}

describe('StallWatch', () => {
  it('detects an idle source after the idle timeout (D10)', () => {
    const watch = new StallWatch(LIMITS, 0);
    const found = run(watch, { from: 0, to: 3000 }, () => 0);
    expect(found?.verdict).to.equal('idle');
    expect(found?.now).to.be.within(1000, 1000 + 2 * watch.tickMs);
  });

  it('ignores time while the reader is paused', () => {
    const watch = new StallWatch(LIMITS, 0);
    watch.pause(50);
    expect(run(watch, { from: 100, to: 60_000 }, () => 10)).to.equal(undefined);
    watch.resume(60_050);
    const found = run(watch, { from: 60_100, to: 63_000 }, () => 10);
    expect(found?.verdict).to.equal('idle');
    expect(found?.now).to.be.at.least(61_000);
  });

  it('detects a slow source that is never idle (D10)', () => {
    const watch = new StallWatch(LIMITS, 0);
    const found = run(watch, { from: 0, to: 20_000 }, (now) => Math.floor(now / 500));
    expect(found?.verdict).to.equal('slow');
    expect(found?.now).to.be.within(5000, 5000 + 2 * watch.tickMs);
  });

  it('accepts the minimum rate, and any rate if the check is disabled', () => {
    expect(run(new StallWatch(LIMITS, 0), { from: 0, to: 20_000 }, (now) => now / 9)).to.equal(undefined);
    const off = new StallWatch({ ...LIMITS, minRateBytes: 0 }, 0);
    expect(run(off, { from: 0, to: 20_000 }, (now) => Math.floor(now / 500))).to.equal(undefined);
  });

  it('does not blame the source if this process was busy', () => {
    const watch = new StallWatch(LIMITS, 0);
    expect(watch.check(0, 10_000)).to.equal(undefined);
  });
});

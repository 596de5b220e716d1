import { expect } from 'chai';
import { takeQuota } from '#runtime/redis/quota.ts';
import { createLocalCounts } from '#runtime/redis/request-counts.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

describe('takeQuota', () => {
  it('reports how many requests are left, and the first one above the limit', async () => {
    const count = createLocalCounts(createManualClock());
    function take() {
      return takeQuota(count, { name: 'signIns', subject: 'a', limit: 1 });
    }
    const quota = { name: 'signIns', limit: 1, remaining: 0, resetSeconds: 60 };
    expect(await take()).to.deep.equal({ ...quota, isExceeded: false });
    expect(await take()).to.deep.equal({ ...quota, isExceeded: true });
    expect(await takeQuota(count, { name: 'signIns', subject: 'b', limit: 1 })).to.include({
      isExceeded: false,
    });
  });

  it('ends a window after a minute, wherever the local clock jumps (BC17)', async () => {
    const dateNow = Date.now;
    const clock = createManualClock();
    const count = createLocalCounts(clock);
    try {
      for (const jumpMs of [-3_600_000, 3_600_000]) {
        function take() {
          return takeQuota(count, { name: 'token', subject: String(jumpMs), limit: 1 });
        }
        await take();
        Date.now = () => dateNow() + jumpMs;
        clock.jump(20_000);
        expect(await take()).to.include({ isExceeded: true, resetSeconds: 40 });
        clock.jump(40_000);
        expect(await take()).to.include({ isExceeded: false, resetSeconds: 60 });
      }
    } finally {
      Date.now = dateNow;
    }
  });

  it('never reports more than a minute, whatever fraction of a millisecond the clock has (BC17)', async () => {
    for (let n = 0; n < 10_000; n += 1) {
      const count = createLocalCounts({ monotonicMs: () => n * 30.3 + 0.123_456 });
      expect(await count('token', 'a')).to.deep.equal({ used: 1, resetMs: 60_000 });
    }
  });

  it('counts nothing without a limit', async () => {
    function count(): never {
      return expect.fail('counted');
    }
    expect(await takeQuota(count, { name: 'token', subject: 'a', limit: 0 })).to.equal(undefined);
  });

  it('limits nothing while requests cannot be counted', async () => {
    function count() {
      return Promise.resolve(undefined);
    }
    expect(await takeQuota(count, { name: 'token', subject: 'a', limit: 1 })).to.equal(undefined);
  });
});

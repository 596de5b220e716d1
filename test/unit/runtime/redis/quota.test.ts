import { expect } from 'chai';
import { takeQuota } from '#runtime/redis/quota.ts';
import { createLocalCounts } from '#runtime/redis/request-counts.ts';

describe('takeQuota', () => {
  it('reports how many requests are left, and the first one above the limit', async () => {
    const count = createLocalCounts();
    const take = () => takeQuota(count, { name: 'signIns', subject: 'a', limit: 1 });
    const quota = { name: 'signIns', limit: 1, remaining: 0, resetSeconds: 60 };
    expect(await take()).to.deep.equal({ ...quota, isExceeded: false });
    expect(await take()).to.deep.equal({ ...quota, isExceeded: true });
    expect(await takeQuota(count, { name: 'signIns', subject: 'b', limit: 1 })).to.include({
      isExceeded: false,
    });
  });

  it('counts nothing without a limit', async () => {
    const count = (): never => expect.fail('counted');
    expect(await takeQuota(count, { name: 'token', subject: 'a', limit: 0 })).to.equal(undefined);
  });

  it('limits nothing while requests cannot be counted', async () => {
    const count = () => Promise.resolve(undefined);
    expect(await takeQuota(count, { name: 'token', subject: 'a', limit: 1 })).to.equal(undefined);
  });
});

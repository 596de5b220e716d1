import { expect } from 'chai';
import { inBatches } from '#runtime/collections/in-batches.ts';

describe('inBatches', () => {
  it('runs at most so many tasks at a time, and returns the results in order', async () => {
    let [running, most] = [0, 0];
    const results = await inBatches([1, 2, 3, 4, 5], 2, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return item * 10;
    });
    expect(results).to.deep.equal([10, 20, 30, 40, 50]);
    expect(most).to.equal(2);
  });

  it('starts no further task after an error', async () => {
    const started: number[] = [];
    const failing = inBatches([1, 2, 3], 1, async (item) => {
      started.push(item);
      await Promise.resolve();
      if (item === 2) throw new Error('no');
    });
    expect(await failing.catch((error: unknown) => String(error))).to.equal('Error: no');
    expect(started).to.deep.equal([1, 2]);
  });
});

/** An archive that later pods continue, from any point and with any of its parts, has the bytes of one that was not disturbed. */
import { expect } from 'chai';
import { sized } from '#test/support/sized.ts';
import { checkContinued, continuedSeeds, noCounts } from '../bytes/check-continued.ts';

const JOBS = sized(100, 300);
const GROUP = 50;

describe('a continued archive', () => {
  const seeds = continuedSeeds(JOBS);

  for (const changes of [false, true]) {
    const counts = noCounts();
    for (let from = 0; from < JOBS; from += GROUP)
      it(`has the bytes of an undisturbed one${changes ? ', also if sources change' : ''}: jobs ${from + 1} to ${from + GROUP}`, async () => {
        for (const seed of seeds.slice(from, from + GROUP)) await checkContinued(seed, counts, { changes });
      }).timeout(300_000);

    it(`was continued in all ways${changes ? ', also if sources change' : ''}`, () => {
      expect(Math.min(counts.kept, counts.repeated, counts.ranges)).to.be.greaterThan(JOBS / 8);
      expect(counts.parts).to.be.greaterThan(JOBS);
      expect(counts.refused > 0).to.equal(changes);
    });
  }

  it('has the same exact headers if the CRC-32 of every file is stated', async () => {
    const counts = noCounts();
    for (const seed of continuedSeeds(200)) await checkContinued(seed, counts, { statesCrc32: true });
    expect(counts.exact).to.be.greaterThan(5);
  }).timeout(300_000);
});

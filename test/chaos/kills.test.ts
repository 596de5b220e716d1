/** A kill after each write of a process, on the real control plane; a checker verifies the history. */
import { expect } from 'chai';
import { planKill } from './plan.ts';
import type { ProcessName } from './planned-fault.ts';
import { useWorlds } from './use-worlds.ts';

/** More than any process writes for one small job. */
const MOST_WRITES = 40;

describe('zipjobs with a kill after each write', function () {
  this.timeout(1_800_000);
  const worlds = useWorlds({ name: 'kills' });

  /** In parallel where a kill does not affect the jobs of others. */
  async function killAfterEachWrite(
    who: ProcessName | 'store',
    how: 'one at a time' | 'in parallel',
  ): Promise<number> {
    const used = how === 'in parallel' ? worlds.all() : worlds.all().slice(0, 1);
    for (let first = 1; first <= MOST_WRITES; first += used.length) {
      const reports = await Promise.all(
        used.map((world, index) => worlds.judge(planKill(who, first + index), world)),
      );
      const spared = reports.findIndex(({ kills }) => kills === 0);
      if (spared < 0) continue;
      const writes = first + spared - 1;
      console.log(`      killed after each of ${writes} writes`);
      return writes;
    }
    throw new Error(`there are more than ${MOST_WRITES} writes for one job`);
  }

  it('lets a job succeed when the controller is killed after any of its writes (F2, H4, H5, H6, H7, H8)', async () => {
    expect(await killAfterEachWrite('controller', 'one at a time')).to.be.greaterThan(4);
  });

  it('lets a job succeed when its zipper is killed after any of its writes to the API server (F9, H4, H5, H6, H7, H8)', async () => {
    expect(await killAfterEachWrite('zipper', 'in parallel')).to.be.greaterThan(3);
  });

  it('lets a job succeed when its zipper is killed after any of its writes to the store (F9, F11, H4, H5, H6, H7, H8)', async () => {
    expect(await killAfterEachWrite('store', 'in parallel')).to.be.greaterThan(3);
  });

  it('lets a job succeed when the API is killed after any of its writes (F1, H5)', async () => {
    expect(await killAfterEachWrite('api', 'one at a time')).to.be.greaterThan(1);
  });
});

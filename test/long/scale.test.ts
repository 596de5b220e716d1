/** `npm run bench -- --case scale` at a small size: its counts against the budgets of that size. */
import { expect } from 'chai';
import { measureScale, type ScaleFigure } from '#test/bench/scale/measure-scale.ts';
import { budgetsOf, LARGE, RUNNING, SMALL } from '#test/bench/scale/scale-world.ts';
import { sized } from '#test/support/sized.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

/** Fewer jobs have a smaller budget, so they have to adapt as well. */
const SIZE = { running: sized(12, 40), buckets: 10, queued: sized(0, 200) };
/** A window may begin just before a write and end just after one, for each job. */
const EDGE = 1.25;

describe('many simulated zippers', function () {
  this.timeout(600_000);
  let cluster: Cluster;
  const figures: ScaleFigure[] = [];

  before(async () => {
    cluster = await sharedCluster();
    function log(line: string): void {
      console.log(`      ${line}`);
    }
    function report(one: ScaleFigure): void {
      figures.push(one);
      log(`${one.row} ${one.what}: ${one.value} ${one.unit}`);
    }
    await measureScale({ cluster, size: SIZE, log, report });
  });
  after(async () => {
    await cluster.kubectl(['delete', 'namespace', RUNNING, LARGE, SMALL, '--wait=false']);
    forgetInstallation();
  });

  function valueOf(row: ScaleFigure['row'], what: string): number {
    const found = figures.find((one) => one.row === row && one.what === what);
    if (!found) throw new Error(`no figure ${row} ${what}`);
    return found.value;
  }

  it('write progress within the budget, and one alone does not adapt (G5)', () => {
    const { progressWrites, progressBytes } = budgetsOf(SIZE);
    expect(valueOf('G5', 'progress writes'))
      .to.be.above(0)
      .and.at.most(progressWrites * EDGE);
    expect(valueOf('G5', 'bytes of progress writes')).to.be.at.most(progressBytes);
    expect(valueOf('G5', 'largest interval of progress')).to.equal(8);
  });

  it('cause a fixed number of writes of bucket counts, which are right in the end (G6)', () => {
    const { countWrites } = budgetsOf(SIZE);
    expect(valueOf('G6', 'wrong counts in the end')).to.equal(0);
    expect(valueOf('G6', 'writes of counts in all')).to.be.at.least(SIZE.buckets);
    // A busy machine may receive the events of two seconds within one.
    expect(valueOf('G6', 'most writes of counts within a second')).to.be.at.most(2 * countWrites + 1);
  });
});

/** Many faults at once, drawn from seeds, on the real control plane; a checker verifies the history. */
import { expect } from 'chai';
import { printHistory } from './history.ts';
import { reportLines, runSchedules } from './run-schedules.ts';
import { useWorlds } from './use-worlds.ts';

const SCHEDULES = 50;

describe('zipjobs under many faults at once', function () {
  this.timeout(1_800_000);
  const worlds = useWorlds();

  it(`loses, duplicates and leaves nothing in ${SCHEDULES} seeded schedules (F6, F7, F12, H4, H5, H6, H7, H8)`, async () => {
    const broken: string[] = [];
    let deliveries = 0;
    const violations = await runSchedules(worlds.all(), {
      firstSeed: 1,
      schedules: SCHEDULES,
      onReport: (seed, report) => {
        for (const line of reportLines(seed, report)) console.log(`      ${line}`);
        deliveries += report.deliveries;
        if (report.violations.length > 0) broken.push(`seed ${seed}\n${printHistory(report.seen)}`);
      },
    });
    console.log(`      ${deliveries} deliveries, ${SCHEDULES} schedules, ${violations} violations`);
    expect(broken.join('\n')).to.equal('');
  });
});

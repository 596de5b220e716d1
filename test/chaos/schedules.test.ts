/** Many faults at once, drawn from seeds, on the real control plane; a checker verifies the history. */
import { expect } from 'chai';
import { printHistory } from './history.ts';
import { reportLines, runSchedules } from './run-schedules.ts';
import { createRunTotals } from './run-totals.ts';
import { useWorlds } from './use-worlds.ts';

const SCHEDULES = 20;

describe('zipjobs under many faults at once', function () {
  this.timeout(1_800_000);
  const worlds = useWorlds({ name: 'schedules' });

  it(`loses, duplicates and leaves nothing in ${SCHEDULES} seeded schedules (F6, F7, F12, F30, H4, H5, H6, H7, H8)`, async () => {
    const broken: string[] = [];
    const totals = createRunTotals();
    let deliveries = 0;
    await runSchedules(worlds.all(), {
      firstSeed: 1,
      schedules: SCHEDULES,
      onReport: (seed, report) => {
        for (const line of reportLines(seed, report)) console.log(`      ${line}`);
        totals.add(seed, report);
        deliveries += report.deliveries;
        if (report.violations.length > 0) broken.push(`seed ${seed}\n${printHistory(report.seen)}`);
      },
    });
    for (const line of totals.lines()) console.log(`      ${line}`);
    console.log(`      ${deliveries} deliveries, ${SCHEDULES} schedules, ${totals.violations} violations`);
    expect(broken.join('\n')).to.equal('');
    expect(totals.violations).to.equal(0);
  });
});

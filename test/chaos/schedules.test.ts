/** Many faults at once, by seed or as a plan says, on the real control plane; a checker judges what was seen. */
import { expect } from 'chai';
import { printHistory } from './history.ts';
import { planOfFaults, planRestarts } from './plan.ts';
import type { PlannedFault } from './planned-fault.ts';
import { reportLines, runSchedules } from './run-schedules.ts';
import { useWorlds } from './use-worlds.ts';

const SCHEDULES = 50;
const FLAP_MS = 20_000;
/** 200 on a machine with the time for it: `FULL_SIZE=1 npm run test:chaos`. */
const [RESTARTED_JOBS, RESTARTS] = process.env['FULL_SIZE'] === undefined ? [30, 6] : [200, 20];

describe('under many faults', function () {
  this.timeout(1_800_000);
  const worlds = useWorlds();

  const FLAP: PlannedFault = { kind: 'flap', rate: 0.1, seed: 1, ms: FLAP_MS };
  it('no job is lost or wrong while source, store, receiver and API server flap at 10 % (F24)', async () => {
    await worlds.judge(planOfFaults(12, [FLAP]));
  });

  it(`${RESTARTED_JOBS} jobs end while the API server restarts ${RESTARTS} times and etcd is compacted (F19)`, async () => {
    const report = await worlds.judge(planRestarts(RESTARTED_JOBS, RESTARTS));
    console.log(`      ${JSON.stringify(report.ends)} after ${report.seconds.toFixed(0)} s`);
  });

  it(`${SCHEDULES} seeded schedules of faults lose, double and leave nothing (F6, F7, F12, H4, H5, H6, H7, H8)`, async () => {
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

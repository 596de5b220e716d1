/** Faults at every write and by seed, on the real control plane with the real processes; a checker judges what was seen. */
import { expect } from 'chai';
import { podRoutes, sharedCluster } from '../support/shared-cluster.ts';
import { resetInstallation } from '../support/shared-installation.ts';
import { type ChaosCluster, startChaosCluster } from './chaos-cluster.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { printHistory } from './history.ts';
import { type Plan, planKill, planOfFaults, planRestarts } from './plan.ts';
import type { PlannedFault, ProcessName } from './planned-fault.ts';
import { runSchedule, type ScheduleReport } from './run-schedule.ts';
import { reportLines, runSchedules, startWorlds } from './run-schedules.ts';

const SCHEDULES = 50;
const LANES = 4;
/** More than any process makes for one small job. */
const MOST_WRITES = 40;
const FLAP_MS = 20_000;
/** 200 on a machine with the time for it: `FULL_SIZE=1 npm run test:chaos`. */
const [RESTARTED_JOBS, RESTARTS] = process.env['FULL_SIZE'] === undefined ? [30, 6] : [200, 20];

describe('under faults', function () {
  this.timeout(1_800_000);
  let chaos: ChaosCluster;
  let lanes: Awaited<ReturnType<typeof startWorlds>>;

  before(async () => {
    const cluster = await sharedCluster();
    const routePods = (url: string | undefined): void => {
      podRoutes.apiServerUrlFor = () => url;
    };
    chaos = await startChaosCluster({ cluster, routePods });
    lanes = await startWorlds(chaos, LANES);
  });
  after(async () => {
    await lanes[Symbol.asyncDispose]();
    await chaos[Symbol.asyncDispose]();
    await resetInstallation();
  });

  const judgeIn = async (world: ChaosWorld, plan: Plan): Promise<ScheduleReport> => {
    const report = await runSchedule(world, plan);
    expect(report.violations, `${JSON.stringify(plan)}\n${printHistory(report.seen)}`).to.deep.equal([]);
    return report;
  };

  const judge = async (plan: Plan): Promise<ScheduleReport> => {
    const [world] = lanes.worlds;
    if (world === undefined) throw new Error('there is no world');
    return judgeIn(world, plan);
  };

  /** Side by side where a kill is nothing to the jobs of the others. */
  const killAfterEachWrite = async (who: ProcessName | 'store', atATime = 1): Promise<number> => {
    const worlds = lanes.worlds.slice(0, atATime);
    for (let first = 1; first <= MOST_WRITES; first += worlds.length) {
      const reports = await Promise.all(
        worlds.map((world, index) => judgeIn(world, planKill(who, first + index))),
      );
      const spared = reports.findIndex(({ kills }) => kills === 0);
      if (spared < 0) continue;
      const writes = first + spared - 1;
      console.log(`      killed after each of ${writes} writes`);
      return writes;
    }
    throw new Error(`there are more than ${MOST_WRITES} writes for one job`);
  };

  it('a job ends well when the controller is killed after any of its writes (F2, H4, H5, H6, H7, H8)', async () => {
    expect(await killAfterEachWrite('controller')).to.be.greaterThan(4);
  });

  it('a job ends well when its zipper is killed after any of its writes to the API server (F9, H4, H5, H6, H7, H8)', async () => {
    expect(await killAfterEachWrite('zipper', LANES)).to.be.greaterThan(3);
  });

  it('a job ends well when its zipper is killed after any of its writes to the store (F9, F11, H4, H5, H6, H7, H8)', async () => {
    expect(await killAfterEachWrite('store', LANES)).to.be.greaterThan(3);
  });

  it('a job ends well when the API is killed after any of its writes (F1, H5)', async () => {
    expect(await killAfterEachWrite('api')).to.be.greaterThan(1);
  });

  it('a leader that is paused until another leads doubles and loses nothing (F3)', async () => {
    await judge(planOfFaults(6, [{ kind: 'pause-leader', afterMs: 500, ms: 8_000 }]));
  });

  const FLAP: PlannedFault = { kind: 'flap', rate: 0.1, seed: 1, ms: FLAP_MS };
  it('no job is lost or wrong while source, store, receiver and API server flap at 10 % (F24)', async () => {
    await judge(planOfFaults(12, [FLAP]));
  });

  it(`${RESTARTED_JOBS} jobs end while the API server restarts ${RESTARTS} times and etcd is compacted (F19)`, async () => {
    const report = await judge(planRestarts(RESTARTED_JOBS, RESTARTS));
    console.log(`      ${JSON.stringify(report.ends)} after ${report.seconds.toFixed(0)} s`);
  });

  it(`${SCHEDULES} seeded schedules of faults lose, double and leave nothing (F6, F7, F12, H4, H5, H6, H7, H8)`, async () => {
    const broken: string[] = [];
    let deliveries = 0;
    const violations = await runSchedules(lanes.worlds, {
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

/** Faults at every write and by seed, on the real control plane with the real processes; a checker judges what was seen. */
import { expect } from 'chai';
import { podRoutes, sharedCluster } from '../support/shared-cluster.ts';
import { resetInstallation } from '../support/shared-installation.ts';
import { type ChaosWorld, startChaosWorld } from './chaos-world.ts';
import { printHistory } from './history.ts';
import { type Plan, type ProcessName, planKill, planOf } from './plan.ts';
import { runSchedule, type ScheduleReport } from './run-schedule.ts';

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);
/** More than any process makes for one small job. */
const MOST_WRITES = 40;

describe('under faults', function () {
  this.timeout(600_000);
  let world: ChaosWorld;

  before(async () => {
    const cluster = await sharedCluster();
    const routePods = (url: string | undefined): void => {
      podRoutes.apiServerUrlFor = () => url;
    };
    world = await startChaosWorld({ cluster, routePods, namespace: 'chaos' });
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await resetInstallation();
  });

  const judge = async (plan: Plan): Promise<ScheduleReport> => {
    const report = await runSchedule(world, plan);
    expect(report.violations, `${JSON.stringify(plan)}\n${printHistory(report.seen)}`).to.deep.equal([]);
    return report;
  };

  const killAfterEachWrite = async (who: ProcessName): Promise<number> => {
    for (let n = 1; n <= MOST_WRITES; n += 1) {
      const report = await judge(planKill(who, n));
      if (report.kills === 0) return n - 1;
    }
    throw new Error(`the ${who} makes more than ${MOST_WRITES} writes for one job`);
  };

  it('a job ends well when the controller is killed after any of its writes (F2, H4, H5, H6, H7, H8)', async () => {
    expect(await killAfterEachWrite('controller')).to.be.greaterThan(4);
  });

  it('a job ends well when its zipper is killed after any of its writes (F9, H4, H5, H6, H7, H8)', async () => {
    expect(await killAfterEachWrite('zipper')).to.be.greaterThan(3);
  });

  it('a job ends well when the API is killed after any of its writes (F1, H5)', async () => {
    expect(await killAfterEachWrite('api')).to.be.greaterThan(1);
  });

  for (const seed of SEEDS)
    it(`nothing is lost, doubled, stuck or left behind by the faults of seed ${seed} (F24, H4, H5, H6, H7, H8)`, async () => {
      await judge(planOf(seed));
    });
});

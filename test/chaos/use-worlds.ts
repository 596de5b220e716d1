/** What the tests of one file share: a cluster behind proxies, and projects in it. */
import { availableParallelism } from 'node:os';
import { expect } from 'chai';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { startHistoryInstallation } from '#test/support/worlds/history-installation.ts';
import { podRoutes, sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { resetInstallation } from '#test/support/worlds/shared-installation.ts';
import { createArchiveDatabase } from './archive-database.ts';
import {
  type ChaosClusterOptions,
  createPodSettings,
  podOptions,
  startChaosCluster,
} from './chaos-cluster.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { printObservations } from './observations.ts';
import type { Plan } from './plan.ts';
import { quickHistoryValues } from './quick-values.ts';
import { runSchedule, type ScheduleReport } from './run-schedule.ts';
import { startWorlds } from './run-schedules.ts';

/** Schedules that run at a time: as many as processors, because each occupies half of one. */
const LANES = Math.min(4, Math.max(2, availableParallelism()));

export interface WorldsOptions {
  /** Of the projects; no other file has it, because files may share a cluster. */
  readonly name: string;
  readonly lanes?: number;
  /** With a history database, which needs PostgreSQL. */
  readonly hasHistory?: boolean;
}

export interface Worlds {
  all(): readonly ChaosWorld[];
  /** Runs a plan, by default in the first project, and expects no violation. */
  judge(plan: Plan, world?: ChaosWorld): Promise<ScheduleReport>;
}

/** The history has its own PostgreSQL, prepared like by an operator. */
async function useHistory(
  resources: AsyncDisposableStack,
): Promise<Pick<ChaosClusterOptions, 'values' | 'archive'>> {
  const installation = resources.use(await startHistoryInstallation());
  await installation.applySecret();
  return {
    values: quickHistoryValues({
      history: installation.values['history'],
      networkPolicies: installation.values['networkPolicies'],
    }),
    archive: createArchiveDatabase(installation),
  };
}

/**
 * Starts them before the tests of the describe block that calls this, and restores the release afterwards.
 */
export function useWorlds({ name, lanes = LANES, hasHistory = false }: WorldsOptions): Worlds {
  let started: AsyncDisposableStack | undefined;
  let worlds: readonly ChaosWorld[] = [];

  before(async function () {
    if (hasHistory) await requirePostgres(this);
    await using starting = new AsyncDisposableStack();
    const cluster = await sharedCluster();
    starting.defer(resetInstallation);
    const withHistory = hasHistory ? await useHistory(starting) : {};
    const pods = createPodSettings();
    Object.assign(podRoutes, podOptions(pods));
    starting.defer(() => {
      podRoutes.apiServerUrlFor = undefined;
      podRoutes.clockAheadMsFor = undefined;
    });
    const chaos = starting.use(await startChaosCluster({ cluster, pods, ...withHistory }));
    ({ worlds } = starting.use(await startWorlds(chaos, { lanes, name })));
    started = starting.move();
  });
  after(() => started?.disposeAsync());

  return {
    all: () => worlds,
    judge: async (plan, world = worlds[0]) => {
      if (world === undefined) throw new Error('no world was started');
      const report = await runSchedule(world, plan);
      const rules = report.violations.map((one) => JSON.stringify(one)).join('\n');
      expect(
        report.violations,
        `${rules}\n${JSON.stringify(plan)}\n${printObservations(report.seen)}`,
      ).to.deep.equal([]);
      return report;
    },
  };
}

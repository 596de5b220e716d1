/** The history database is away while jobs finish and are deleted, on the real control plane. */
import { sized } from '#test/support/sized.ts';
import { planDatabaseOutage } from './plan.ts';
import { useWorlds } from './use-worlds.ts';

const SEEDS = [1, 2].slice(0, sized(1, 2));
/** The controller tries again every second instead of every 30 seconds, with the settings of quick-values.ts: 20 minutes, or an hour. */
const AWAY_MS = sized(40_000, 120_000);

describe('zipjobs while its history database is away', function () {
  this.timeout(1_800_000);
  const worlds = useWorlds({ name: 'database-away', lanes: 1, hasHistory: true });

  for (const seed of SEEDS)
    it(`stores and counts each finished job once, and returns no 404, in schedule ${seed} (G8)`, async () => {
      const { ends, kills, seconds } = await worlds.judge(planDatabaseOutage(seed, AWAY_MS));
      console.log(`      ${ends.length} jobs, ${kills} kills, ${seconds.toFixed(0)} s`);
    });
});

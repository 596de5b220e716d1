/**
 * Seeded schedules of faults on the local cluster: `npm run chaos -- [--seed N] [--schedules M] [--histories DIR]`.
 * The last line is `M schedules, K violations`; the exit code is 1 when K is not 0.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../cluster/cluster.ts';
import { startChaosWorld } from './chaos-world.ts';
import { printHistory } from './history.ts';
import { planOf } from './plan.ts';
import { runSchedule } from './run-schedule.ts';

const USAGE = `npm run chaos -- [--seed N] [--schedules M] [--histories DIR]
  --seed N         seed of the first schedule; the next ones count on (default: by the clock)
  --schedules M    how many (default 10)
  --histories DIR  keep the history of each schedule there; without it that of a violation is printed`;

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      schedules: { type: 'string', default: '10' },
      histories: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return console.log(USAGE);
  const first = Number(values.seed);
  const schedules = Number(values.schedules);
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(schedules)) throw new Error(USAGE);
  let route: string | undefined;
  await using cluster = await startCluster({ log: console.log, apiServerUrlFor: () => route });
  const routePods = (url: string | undefined): void => {
    route = url;
  };
  await using world = await startChaosWorld({ cluster, routePods, namespace: 'chaos' });
  let violations = 0;
  for (let seed = first; seed < first + schedules; seed += 1) {
    const plan = planOf(seed);
    const report = await runSchedule(world, plan);
    const faults = plan.faults.map(({ kind, ...rest }) => `${kind} ${JSON.stringify(rest)}`).join(', ');
    const ends = JSON.stringify(report.ends);
    console.log(`seed ${seed}: ${report.seconds.toFixed(1)} s, ${ends}; ${faults}`);
    for (const { rule, uuid, text } of report.violations) console.log(`  ${rule} ${uuid ?? ''} ${text}`);
    violations += report.violations.length;
    const history = printHistory(report.seen);
    if (values.histories !== undefined) {
      await mkdir(values.histories, { recursive: true });
      await writeFile(join(values.histories, `${seed}.txt`), history);
    } else if (report.violations.length > 0) console.log(history);
  }
  console.log(`${schedules} schedules, ${violations} violations`);
  if (violations > 0) process.exitCode = 1;
};

await main();

/**
 * Runs seeded schedules of faults on the local cluster. At the end it prints how many jobs of each planned kind ended
 * how; the last line is `M schedules, K violations`. The exit code is not 0 when K is not 0 or fewer schedules ran than
 * requested.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import { createPodSettings, podOptions, startChaosCluster } from './chaos-cluster.ts';
import { printObservations } from './observations.ts';
import type { ScheduleReport } from './run-schedule.ts';
import { reportLines, runSchedules, startWorlds } from './run-schedules.ts';
import { createRunTotals } from './run-totals.ts';

const USAGE = `npm run chaos -- [--seed N] [--schedules M] [--lanes L] [--histories DIR]
  --seed N         seed of the first schedule; the next ones count on (default: by the clock)
  --schedules M    how many (default 2000)
  --lanes L        how many run at a time (default 4, or 1 for one schedule)
  --histories DIR  keep the history of each schedule there; without it that of a violation is printed`;

function whole(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(USAGE);
}

/** As in the tests, so that schedules with many killed zippers take no longer. */
const JOB_BACKOFF_MS = 1_000;

/** On a signal the cluster stops immediately, so pending waits would only end at their timeouts. */
const STOP_LIMIT_MS = 20_000;

interface Tally {
  count(seed: number, report: ScheduleReport): void;
  /** The user stops the run. */
  readonly stopped: AbortSignal;
}

/** Always prints how many schedules ran and how many violations they found; an interrupted run fails. */
function startTally(wanted: number): Tally {
  const totals = createRunTotals();
  let errors = 0;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      console.log(`${signal}: unfinished schedules do not count`);
      stop.abort();
      setTimeout(() => process.exit(), STOP_LIMIT_MS).unref();
    });
  process.on('uncaughtException', (error) => {
    if (stop.signal.aborted) return;
    errors += 1;
    console.log('unhandled error:', error);
  });
  process.on('exit', () => {
    const violations = totals.violations + errors;
    if (violations > 0 || totals.schedules < wanted) process.exitCode ||= 1;
    for (const line of totals.lines()) console.log(line);
    console.log(`${totals.schedules} schedules, ${violations} violations`);
  });
  return {
    count: (seed, report) => totals.add(seed, report),
    stopped: stop.signal,
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      schedules: { type: 'string', default: '2000' },
      lanes: { type: 'string', default: '4' },
      histories: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return console.log(USAGE);
  const schedules = whole(values.schedules);
  const { histories } = values;
  if (histories !== undefined) await mkdir(histories, { recursive: true });
  const tally = startTally(schedules);
  async function onReport(seed: number, report: ScheduleReport): Promise<void> {
    if (tally.stopped.aborted) return;
    tally.count(seed, report);
    for (const line of reportLines(seed, report)) console.log(line);
    const history = printObservations(report.seen);
    if (histories !== undefined) await writeFile(join(histories, `${seed}.txt`), history);
    else if (report.violations.length > 0) console.log(history);
  }
  const pods = createPodSettings();
  await using cluster = await startCluster({
    log: console.log,
    jobBackoffMs: JOB_BACKOFF_MS,
    ...podOptions(pods),
  });
  await using chaos = await startChaosCluster({ cluster, pods });
  const lanes = Math.min(whole(values.lanes), schedules);
  await using started = await startWorlds(chaos, { lanes, name: 'chaos' });
  const firstSeed = whole(values.seed);
  const seeds = Array.from({ length: schedules }, (_, index) => firstSeed + index);
  await runSchedules(started.worlds, { seeds, onReport, signal: tally.stopped });
}

await main();

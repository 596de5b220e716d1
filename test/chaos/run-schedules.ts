/** Runs seeded schedules in parallel, each in its own project. */
import { inspect } from 'node:util';
import type { ChaosCluster } from './chaos-cluster.ts';
import { type ChaosWorld, startChaosWorld } from './chaos-world.ts';
import { NO_RESUMES, resumesText } from './check-resumes.ts';
import { endsText } from './count-ends.ts';
import { planOf } from './plan.ts';
import { repeatCommand } from './repeat-on-parent.ts';
import { runSchedule, type ScheduleReport } from './run-schedule.ts';

/** Projects with this name and a number, which share the API and the controllers, and the faults of these. */
export async function startWorlds(
  chaos: ChaosCluster,
  { lanes, name }: { readonly lanes: number; readonly name: string },
): Promise<AsyncDisposable & { readonly worlds: readonly ChaosWorld[] }> {
  await using started = new AsyncDisposableStack();
  const worlds: ChaosWorld[] = [];
  for (let lane = 1; lane <= lanes; lane += 1)
    worlds.push(started.use(await startChaosWorld(chaos, `${name}-${lane}`)));
  const resources = started.move();
  return { worlds, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

export interface SchedulesOptions {
  readonly seeds: readonly number[];
  readonly onReport: (seed: number, report: ScheduleReport) => void | Promise<void>;
  /** No schedule starts after this time. */
  readonly signal?: AbortSignal;
}

/** A schedule that throws is a violation and does not stop the others. */
async function report(world: ChaosWorld, seed: number): Promise<ScheduleReport> {
  const started = performance.now();
  try {
    return await runSchedule(world, planOf(seed));
  } catch (error) {
    const text = `failed with an error: ${inspect(error)}`;
    const seconds = (performance.now() - started) / 1000;
    const seen = [...world.history.seen];
    return {
      violations: [{ rule: 'run', text }],
      seen,
      ends: [],
      seconds,
      kills: 0,
      deliveries: 0,
      bytesTwice: 0,
      resumes: NO_RESUMES,
    };
  }
}

/** Runs one schedule per world at a time. */
export async function runSchedules(
  worlds: readonly ChaosWorld[],
  { seeds, onReport, signal }: SchedulesOptions,
): Promise<void> {
  const left = [...seeds];
  async function work(world: ChaosWorld): Promise<void> {
    for (let seed = left.shift(); seed !== undefined && signal?.aborted !== true; seed = left.shift())
      await onReport(seed, await report(world, seed));
  }
  await Promise.all(worlds.map(work));
}

/** One line about what a schedule did, and how to run it again when it broke a rule. */
export function reportLines(
  seed: number,
  { violations, ends, seconds, resumes }: ScheduleReport,
): readonly string[] {
  const faults = planOf(seed).faults.map(({ kind, ...rest }) => `${kind} ${JSON.stringify(rest)}`);
  return [
    `seed ${seed}: ${seconds.toFixed(1)} s, ${endsText(ends)}, ${resumesText(resumes)}; ${faults.join(', ')}`,
    ...violations.map(({ rule, uuid = '', text }) => `  ${rule} ${uuid} ${text}`),
    ...(violations.length === 0 ? [] : [`  run again: ${repeatCommand(seed)}`]),
  ];
}

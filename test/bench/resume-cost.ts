/** What it costs a large job that another pod could continue it. */
import type { StatusWrite } from '#test/support/servers/status-server.ts';
import { same } from './bench-case.ts';
import { median } from './bench-result.ts';
import { type BenchOrigin, type BenchWorld, openOrigin } from './bench-world.ts';
import type { Contender } from './contenders.ts';
import { measure } from './measured-run.ts';
import { takeArchive } from './run-case.ts';

const MIB = 1024 * 1024;
/** Files of each archive. */
const FILES = 8;

export interface ResumeCost {
  readonly what: string;
  readonly pairs: number;
  /** Medians of the wall times, in seconds. */
  readonly with_s: number;
  readonly without_s: number;
  /** Median of the ratios of the wall times in each pair, with checkpoints to without. Limit: 1.01. */
  readonly wall_ratio: number;
  readonly cpu_ratio: number;
  /** The most in any run; at most two. */
  readonly checkpoints_per_minute: number;
  /** Requests to the API server that are no write of the status, of all runs without checkpoints together. */
  readonly other_requests_without: number;
}

interface OneRun {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly checkpoints: number;
  readonly others: number;
}

export interface ResumeOptions {
  /** Bytes of each archive. */
  readonly bytes: number;
  readonly pairs: number;
  readonly log: (line: string) => void;
}

function isCheckpoint({ url }: StatusWrite): boolean {
  return url.includes('/zipcheckpoints/');
}

/** One archive, of a job that has a ZipCheckpoint or not. */
async function runOnce(
  world: BenchWorld,
  contender: Contender,
  job: {
    readonly origin: BenchOrigin;
    readonly key: string;
    readonly bytes: number;
    readonly hasCheckpoint: boolean;
  },
): Promise<OneRun> {
  const { origin, key, bytes, hasCheckpoint } = job;
  const { status } = world.host;
  status.shown = hasCheckpoint ? { checkpointed: true } : {};
  status.writes.length = 0;
  const program = await contender.prepare({ url: origin.url, key, files: filesOf(bytes) });
  const { wallSeconds, cpuSeconds } = await measure(program);
  await takeArchive(world, contender, { key, bytes });
  const checkpoints = status.writes.filter(isCheckpoint).length;
  const others = status.writes.filter(({ url }) => !url.includes('/zipjobs/')).length - checkpoints;
  return { wallSeconds, cpuSeconds, checkpoints, others };
}

function filesOf(bytes: number) {
  return same(FILES, Math.ceil(bytes / FILES));
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Alternates runs with and without checkpoints, and who is first. */
export async function measureResume(
  world: BenchWorld,
  contender: Contender,
  { bytes, pairs, log }: ResumeOptions,
): Promise<ResumeCost> {
  // As the own ZipCheckpoint of the job says.
  world.host.status.spec = { zipJobUid: 'uid-1' };
  const bench = { name: 'resume', what: 'resume', latencyMs: 0, files: filesOf(bytes) };
  await using origin = await openOrigin(bench, world);
  const both: { readonly on: OneRun; readonly off: OneRun }[] = [];
  for (let pair = 1; pair <= pairs; pair += 1) {
    const runs: Record<'on' | 'off', OneRun | undefined> = { on: undefined, off: undefined };
    for (const way of pair % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const))
      runs[way] = await runOnce(world, contender, {
        origin,
        key: `resume-${way}-${pair}.zip`,
        bytes,
        hasCheckpoint: way === 'on',
      });
    const { on, off } = runs;
    if (on === undefined || off === undefined) continue;
    both.push({ on, off });
    log(
      `resume ${pair}/${pairs}: ${on.wallSeconds.toFixed(2)} s with ${on.checkpoints} checkpoints, ` +
        `${off.wallSeconds.toFixed(2)} s without`,
    );
  }
  return costOf(both, `${Math.round(bytes / MIB)} MiB in ${FILES} files`);
}

function costOf(both: readonly { readonly on: OneRun; readonly off: OneRun }[], what: string): ResumeCost {
  return {
    what,
    pairs: both.length,
    with_s: rounded(median(both.map(({ on }) => on.wallSeconds))),
    without_s: rounded(median(both.map(({ off }) => off.wallSeconds))),
    wall_ratio: rounded(median(both.map(({ on, off }) => on.wallSeconds / off.wallSeconds))),
    cpu_ratio: rounded(median(both.map(({ on, off }) => on.cpuSeconds / off.cpuSeconds))),
    checkpoints_per_minute: rounded(
      Math.max(...both.map(({ on }) => on.checkpoints / Math.max(1, on.wallSeconds / 60))),
    ),
    other_requests_without: both.reduce((sum, { off }) => sum + off.others + off.checkpoints, 0),
  };
}

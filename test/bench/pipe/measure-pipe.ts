/** Archives over networks that limit connections: how much of what many connections could carry does each contender use? */
import { defined } from '#runtime/collections/optional.ts';
import { bytesOf } from '../bench-case.ts';
import { median } from '../bench-result.ts';
import type { BenchWorld } from '../bench-world.ts';
import { type Contender, findContenders } from '../contenders.ts';
import { measure } from '../measured-run.ts';
import { alternate, takeArchive } from '../run-case.ts';
import { type Counts, type LimitedServer, startLimitedServer } from './limited-server.ts';
import type { PipeCase } from './pipe-cases.ts';

/** The figures of one contender in one case: the medians of its rounds. */
export interface PipeResult {
  readonly case: string;
  readonly contender: string;
  readonly wall_s: number;
  readonly cpu_s: number;
  readonly peak_mib: number;
  /** Of parts that were sent, for their turn to be hashed, all together; undefined without SHA-256. */
  readonly turn_wait_s?: number;
  readonly source: Counts;
  readonly store: Counts;
  /** How long it took compared with zipjobs; undefined for zipjobs itself, or without it. */
  readonly times_as_long?: number;
}

export interface PipeBench {
  readonly cases: readonly PipeCase[];
  readonly rounds: number;
  readonly isWanted: (contender: Contender) => boolean;
  readonly log: (line: string) => void;
  readonly report: (result: PipeResult) => void;
}

const MIB = 1024 * 1024;

function turnWaitOf(output: string): number | undefined {
  const [, ms] = /"turnWaitMs":(\d+)/.exec(output) ?? [];
  return ms === undefined ? undefined : Number(ms) / 1000;
}

async function runOnce(
  world: BenchWorld,
  {
    contender,
    bench,
    key,
  }: { readonly contender: Contender; readonly bench: PipeCase; readonly key: string },
  { source, store }: { readonly source: LimitedServer; readonly store: LimitedServer },
): Promise<PipeResult> {
  const program = await contender.prepare({ url: `${source.url}/set/`, key, files: bench.files });
  await Promise.all([source.counts(), store.counts()]);
  const { wallSeconds, cpuSeconds, peakBytes, output } = await measure(program);
  const [ofSource, ofStore] = await Promise.all([source.counts(), store.counts()]);
  await takeArchive(world, contender, { key, bytes: bytesOf(bench) });
  return {
    case: bench.name,
    contender: contender.name,
    wall_s: wallSeconds,
    cpu_s: cpuSeconds,
    peak_mib: peakBytes / MIB,
    ...defined({ turn_wait_s: turnWaitOf(output) }),
    source: ofSource,
    store: ofStore,
  };
}

function mediansOf(rounds: readonly PipeResult[]): PipeResult {
  const [first] = rounds;
  if (!first) throw new Error('no round was run');
  function of(figure: (one: PipeResult) => number, digits: number): number {
    return Number(median(rounds.map(figure)).toFixed(digits));
  }
  function countsOf(side: 'source' | 'store'): Counts {
    return {
      connections: of((one) => one[side].connections, 0),
      peakConnections: of((one) => one[side].peakConnections, 0),
      requests: of((one) => one[side].requests, 0),
    };
  }
  return {
    case: first.case,
    contender: first.contender,
    wall_s: of((one) => one.wall_s, 2),
    cpu_s: of((one) => one.cpu_s, 2),
    peak_mib: of((one) => one.peak_mib, 0),
    ...(first.turn_wait_s !== undefined && { turn_wait_s: of((one) => one.turn_wait_s ?? 0, 2) }),
    source: countsOf('source'),
    store: countsOf('store'),
  };
}

function compared(result: PipeResult, ours: PipeResult | undefined): PipeResult {
  if (ours === undefined || result === ours) return result;
  return { ...result, times_as_long: Number((result.wall_s / ours.wall_s).toFixed(2)) };
}

async function measureCase(world: BenchWorld, bench: PipeCase, options: PipeBench): Promise<void> {
  const { rounds, isWanted, log, report } = options;
  const { source: ofSource, store: ofStore } = bench.network;
  await using source = await startLimitedServer({ ...ofSource, files: bench.files }, log);
  await using store = await startLimitedServer({ ...ofStore, target: world.store.endpoint }, log);
  const limited = { ...world, store: { ...world.store, endpoint: store.url } };
  const contenders = (await findContenders(limited, log)).filter(isWanted);
  const all = await alternate(contenders, rounds, async (contender, round) => {
    const key = `pipe-${contender.name}-${round}.zip`;
    const one = await runOnce(world, { contender, bench, key }, { source, store });
    log(`pipe: ${bench.name} ${round}/${rounds} ${contender.name}: ${one.wall_s.toFixed(2)} s`);
    return one;
  });
  const results = all.map(mediansOf);
  const ours = results.find(({ contender }) => contender.startsWith('zipjobs'));
  for (const one of results) report(compared(one, ours));
}

/** The world speaks HTTP. */
export async function measurePipe(world: BenchWorld, options: PipeBench): Promise<void> {
  for (const bench of options.cases) await measureCase(world, bench, options);
}

function countsText({ connections, peakConnections, requests }: Counts): string {
  return `${requests} requests over ${connections} connections, at most ${peakConnections} at a time`;
}

export function pipeLine(result: PipeResult): string {
  const { times_as_long: times, turn_wait_s: wait } = result;
  return (
    `pipe: ${result.case}: ${result.contender}: ${result.wall_s} s${times === undefined ? '' : ` (${times} times zipjobs)`}, ` +
    `${result.cpu_s} CPU s, ${result.peak_mib} MiB${wait !== undefined ? `, parts waited ${wait} s to be hashed` : ''}; source: ${countsText(result.source)}; store: ${countsText(result.store)}`
  );
}

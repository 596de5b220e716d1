import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuildCosts } from './build-estimate.ts';
import type { Log } from './cluster-types.ts';
import { compileProgram, type GoProgram, prepareSource } from './go-program.ts';
import { CLUSTER_PROGRAM, KUEUE_PROGRAM, MINIO_PROGRAM, STORE_PROGRAM } from './go-programs.ts';

/**
 * A step in the output of `go build -debug-actiongraph`: the IDs of the steps before it, and nanoseconds of CPU time.
 */
export interface BuildAction {
  readonly ID: number;
  readonly Mode: string;
  readonly Package: string;
  readonly Deps?: readonly number[] | null;
  readonly CmdUser?: number;
  readonly CmdSys?: number;
}

const COSTS_PATH = join(import.meta.dirname, 'build-costs.json');
/** More packages would hardly improve the estimate. */
const NAMED_PACKAGES = 60;

/** Builds the programs with an empty Go cache, prints the costs and writes them to build-costs.json. */
export async function measureBuild(log: Log): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'zipjobs-build-'));
  process.env['GOCACHE'] = join(folder, 'cache');
  try {
    const cluster = await measureProgram(CLUSTER_PROGRAM, folder, log);
    const store = await measureProgram(STORE_PROGRAM, folder, log);
    const minio = await measureProgram(MINIO_PROGRAM, folder, log);
    const kueue = await measureProgram(KUEUE_PROGRAM, folder, log);
    await writeFile(COSTS_PATH, `${JSON.stringify({ cluster, store, minio, kueue }, undefined, 2)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureProgram(program: GoProgram, folder: string, log: Log): Promise<BuildCosts> {
  const directory = join(folder, program.name);
  const graph = join(folder, `${program.name}.json`);
  await prepareSource(program, directory);
  await compileProgram(
    program,
    { directory, output: join(folder, `${program.name}.out`), graph },
    () => undefined,
  );
  const costs = costsOf(JSON.parse(await readFile(graph, 'utf8')) as BuildAction[]);
  log(`${program.what}: ${costs.cpuSeconds} s of processor time, the longest chain ${costs.serialSeconds} s`);
  for (const [name, seconds] of Object.entries(costs.packages).slice(0, 10)) log(`  ${seconds} s  ${name}`);
  return costs;
}

export function costsOf(actions: readonly BuildAction[]): BuildCosts {
  const compiled = actions
    .filter(({ Mode }) => Mode === 'build')
    .map((action): [string, number] => [action.Package, secondsOf(action)])
    .filter(([, seconds]) => seconds > 0)
    .sort(([, a], [, b]) => b - a);
  const others = compiled.slice(NAMED_PACKAGES);
  return {
    cpuSeconds: Math.round(sum(actions.map(secondsOf))),
    serialSeconds: Math.round(longestChain(actions)),
    linkSeconds: tenths(sum(actions.filter(({ Mode }) => Mode === 'link').map(secondsOf))),
    otherPackageSeconds: Number(
      (sum(others.map(([, seconds]) => seconds)) / Math.max(1, others.length)).toFixed(3),
    ),
    packages: Object.fromEntries(
      compiled.slice(0, NAMED_PACKAGES).map(([name, seconds]) => [name, tenths(seconds)]),
    ),
  };
}

/** Seconds of the longest chain of steps that depend on each other. */
function longestChain(actions: readonly BuildAction[]): number {
  const byId = new Map(actions.map((action) => [action.ID, action]));
  const known = new Map<number, number>();
  function until(id: number): number {
    const found = known.get(id);
    if (found !== undefined) return found;
    const action = byId.get(id);
    if (action === undefined) return 0;
    const seconds = secondsOf(action) + Math.max(0, ...(action.Deps ?? []).map(until));
    known.set(id, seconds);
    return seconds;
  }
  return Math.max(0, ...actions.map(({ ID }) => until(ID)));
}

function secondsOf({ CmdUser = 0, CmdSys = 0 }: BuildAction): number {
  return (CmdUser + CmdSys) / 1e9;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function tenths(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}

import { type BenchCase, bytesOf } from './bench-case.ts';
import { type BenchResult, toResult } from './bench-result.ts';
import { type BenchOrigin, type BenchWorld, loopbackBytes, openOrigin } from './bench-world.ts';
import { watchConnections } from './connections.ts';
import type { Contender } from './contenders.ts';
import { measure } from './measured-run.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Deletes the archive. @throws Error if it is smaller than the files */
export async function takeArchive(
  world: BenchWorld,
  { name }: Contender,
  { key, bytes }: { readonly key: string; readonly bytes: number },
): Promise<void> {
  const archived = await world.takeObject(key);
  if (archived < bytes) throw new Error(`${name} wrote ${archived} of ${bytes} bytes`);
}

/** The rounds of each contender. They alternate, so that other load on the machine affects all of them. */
export async function alternate<T>(
  contenders: readonly Contender[],
  rounds: number,
  run: (contender: Contender, round: number) => Promise<T>,
): Promise<readonly (readonly T[])[]> {
  const all = contenders.map((): T[] => []);
  for (let round = 1; round <= rounds; round += 1)
    for (const [index, contender] of contenders.entries()) all[index]?.push(await run(contender, round));
  return all;
}

async function runOnce(
  world: BenchWorld,
  contender: Contender,
  input: { readonly bench: BenchCase; readonly origin: BenchOrigin; readonly key: string },
): Promise<BenchResult> {
  const { bench, origin, key } = input;
  const program = await contender.prepare({ url: origin.url, key, files: bench.files });
  using connections = watchConnections([origin.pid, world.storePid]);
  const wireBefore = await loopbackBytes();
  const { wallSeconds, cpuSeconds, peakBytes } = await measure(program);
  const wire = (await loopbackBytes()) - wireBefore;
  const [originConnections = 0, storeConnections = 0] = connections.counts();
  const bytes = bytesOf(bench);
  if (contender.writesNothing !== true) await takeArchive(world, contender, { key, bytes });
  return {
    case: bench.name,
    contender: contender.name,
    wall_s: wallSeconds,
    cpu_s: cpuSeconds,
    cpu_s_per_gb: cpuSeconds / (bytes / GIB),
    peak_mib: peakBytes / MIB,
    wire_mib: wire / MIB,
    origin_connections: originConnections,
    store_connections: storeConnections,
  };
}

/** Runs all contenders, and returns the medians of each. */
export async function runCase(
  world: BenchWorld,
  contenders: readonly Contender[],
  { bench, rounds, log }: { bench: BenchCase; rounds: number; log: (line: string) => void },
): Promise<readonly BenchResult[]> {
  await using origin = await openOrigin(bench, world);
  const all = await alternate(contenders, rounds, async (contender, round) => {
    const key = `${bench.name}-${contender.name}-${round}.zip`;
    const one = await runOnce(world, contender, { bench, origin, key });
    log(
      `${bench.name} (${bench.what}) ${round}/${rounds} ${contender.name}: ${one.wall_s.toFixed(2)} s, ` +
        `${one.cpu_s.toFixed(2)} CPU s, ${one.cpu_s_per_gb.toFixed(2)} CPU s/GiB, ${one.peak_mib.toFixed(0)} MiB, ` +
        `connections: ${one.origin_connections} to the origin, ${one.store_connections} to the store`,
    );
    return one;
  });
  return all.map(toResult);
}

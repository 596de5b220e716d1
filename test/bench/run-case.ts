import { type BenchCase, bytesOf } from './bench-case.ts';
import { type BenchResult, toResult } from './bench-result.ts';
import { type BenchOrigin, type BenchWorld, loopbackBytes, openOrigin } from './bench-world.ts';
import { watchConnections } from './connections.ts';
import type { Contender } from './contenders.ts';
import { measure } from './measured-run.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

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
  const archived = contender.writesNothing === true ? bytes : await world.takeObject(key);
  if (archived < bytes) throw new Error(`${contender.name} wrote ${archived} of ${bytes} bytes`);
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

/**
 * Alternates between all contenders, so that other load on the machine affects all of them, and returns the
 * medians.
 */
export async function runCase(
  world: BenchWorld,
  contenders: readonly Contender[],
  { bench, rounds, log }: { bench: BenchCase; rounds: number; log: (line: string) => void },
): Promise<readonly BenchResult[]> {
  await using origin = await openOrigin(bench, world);
  const all: BenchResult[] = [];
  for (let round = 1; round <= rounds; round += 1)
    for (const contender of contenders) {
      const key = `${bench.name}-${contender.name}-${round}.zip`;
      const one = await runOnce(world, contender, { bench, origin, key });
      log(
        `${bench.name} (${bench.what}) ${round}/${rounds} ${contender.name}: ${one.wall_s.toFixed(2)} s, ` +
          `${one.cpu_s.toFixed(2)} CPU s, ${one.cpu_s_per_gb.toFixed(2)} CPU s/GiB, ${one.peak_mib.toFixed(0)} MiB, ` +
          `connections: ${one.origin_connections} to the origin, ${one.store_connections} to the store`,
      );
      all.push(one);
    }
  return contenders.map(({ name }) => toResult(all.filter(({ contender }) => contender === name)));
}

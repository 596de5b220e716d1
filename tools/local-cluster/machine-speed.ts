import { scrypt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { MachineSpeed } from './build-estimate.ts';

/** Threads in Node's default thread pool. */
const POOL_THREADS = 4;
const ROUNDS = 6;
/** Duration of a round on the reference machine of build-costs.json. */
const REFERENCE_ROUND_MS = 32;

/** Takes a fraction of a second. Concurrent work counts as slowness, as it does during a build. */
export async function measureSpeed(): Promise<MachineSpeed> {
  const cores = availableParallelism();
  const lanes = Math.min(cores, POOL_THREADS);
  const started = performance.now();
  await Promise.all(Array.from({ length: lanes }, hashRepeatedly));
  return { cores, slowness: (performance.now() - started) / (ROUNDS * REFERENCE_ROUND_MS) };
}

async function hashRepeatedly(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await hash();
}

/** Scrypt depends on memory like a compiler, and no CPU accelerates it with special instructions. */
function hash(): Promise<void> {
  return new Promise((resolve, reject) => {
    scrypt('calibration', 'salt', 32, { N: 16_384, r: 8, p: 1 }, (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

/**
 * Digests of the archives of generated jobs, which no change may alter. zlib makes the compressed ones: when another release of
 * Node changes them, compare with a checkout before your change (`npm run bytes -- --before DIR`), and write the file again
 * (`npm run bytes -- --golden`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { generateJob } from './generate-job.ts';
import { runJob } from './run-job.ts';

const FILE = join(import.meta.dirname, 'golden.json');
const COUNT = 200;

/** By seed. */
type Digests = Readonly<Record<string, string>>;

export function readGolden(): Digests {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Digests;
}

export async function digestOf(engine: Engine, seed: number): Promise<string> {
  const { digest } = await runJob(engine, generateJob(seed));
  return digest;
}

export async function writeGolden(engine: Engine): Promise<void> {
  const digests: Record<string, string> = {};
  for (let seed = 1; Object.keys(digests).length < COUNT; seed += 1) {
    const { zerosBefore, inlineFiles } = generateJob(seed);
    // Those take seconds each.
    if (zerosBefore === 0 && inlineFiles === 0) digests[seed] = await digestOf(engine, seed);
  }
  writeFileSync(FILE, `${JSON.stringify(digests, undefined, 2)}\n`);
}

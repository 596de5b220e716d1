/** The seeds of a test run: some in every run, and one that differs from commit to commit. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './git.ts';

/** Together they have 18 kinds of faults. */
export const FIXED_SEEDS = [2, 36, 187, 217] as const;
/** Seeds of `npm run chaos` are smaller by default, so a printed seed also shows where it comes from. */
const FIRST_NEW_SEED = 1_000_000;
const MOST_NEW_SEEDS = 1_000_000_000;

/** The hash of the committed files; of the lock file in a folder without `.git`. */
function hashOfTree(folder: string): Promise<string> {
  return existsSync(join(folder, '.git'))
    ? git(folder, 'rev-parse', '--verify', 'HEAD^{tree}')
    : readFile(join(folder, 'package-lock.json'), 'utf8');
}

/** A seed that depends only on the committed files of a folder. `npm run chaos` runs as many as there is time for. */
export async function newSeed(folder: string): Promise<number> {
  const digest = createHash('sha256')
    .update(await hashOfTree(folder))
    .digest();
  return FIRST_NEW_SEED + (digest.readUInt32BE() % MOST_NEW_SEEDS);
}

/** Tells a fault of a change from one that was there before: the schedule runs again on the commit before. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from './git.ts';

/** With the installation of the packages, a schedule takes two to four minutes when nothing else runs. */
const LIMIT_MS = 480_000;
const MOST_OUTPUT = 20_000;

export interface Repetition {
  /** `unknown`: there is no commit before, or the schedule did not run to its end. */
  readonly result: 'holds' | 'breaks' | 'unknown';
  /** The end of the output. */
  readonly output: string;
}

/** The command that repeats a schedule. */
export function repeatCommand(seed: number): string {
  return `npm run chaos -- --seed ${seed} --schedules 1`;
}

/** The commit to compare with: the last one when files have uncommitted changes, and the one before otherwise. */
async function parentOf(folder: string): Promise<string> {
  const changes = await git(folder, 'status', '--porcelain', '--untracked-files=no');
  return git(folder, 'rev-parse', '--verify', changes === '' ? 'HEAD^' : 'HEAD');
}

async function run(folder: string, seed: number): Promise<Repetition> {
  const [program = '', ...args] = repeatCommand(seed).split(' ');
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(LIMIT_MS),
    killSignal: 'SIGTERM',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MOST_OUTPUT);
    });
  await once(child, 'close');
  const violations = /^1 schedules, (\d+) violations$/m.exec(output)?.[1];
  if (violations === undefined) return { result: 'unknown', output };
  return { result: violations === '0' ? 'holds' : 'breaks', output };
}

/**
 * Runs the schedule of a seed on the commit before, in a git worktree of its own that is removed afterwards.
 * @param folder - Root of the checkout.
 */
export async function repeatOnParent(folder: string, seed: number): Promise<Repetition> {
  if (!existsSync(join(folder, '.git'))) return { result: 'unknown', output: 'This folder is no checkout.' };
  const scratch = await mkdtemp(join(tmpdir(), 'zipjobs-parent-'));
  const tree = join(scratch, 'tree');
  try {
    await git(folder, 'worktree', 'add', '--detach', tree, await parentOf(folder));
    return await run(tree, seed);
  } catch (error) {
    return { result: 'unknown', output: String(error) };
  } finally {
    await git(folder, 'worktree', 'remove', '--force', tree).catch(() => undefined);
    await rm(scratch, { recursive: true, force: true });
  }
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Standard output of a git command in this folder.
 * @throws Error with its error output when it fails.
 */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', [...args], { cwd: folder });
  return stdout.trim();
}

import { join } from 'node:path';
import { runProgram } from '#test/support/processes/run-program.ts';

/** Folder of the installed packages; `python` in it is a virtual environment. */
export async function installPackages(): Promise<string> {
  return (await runProgram('sh', [join(import.meta.dirname, 'packages/install')], { timeoutMs: 600_000 }))
    .toString()
    .trim();
}

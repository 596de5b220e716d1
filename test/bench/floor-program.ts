import { join } from 'node:path';
import { ensureProgram } from '#tools/local-cluster/binaries.ts';
import { GoMissingError } from '#tools/local-cluster/cluster-error.ts';
import type { GoProgram } from '#tools/local-cluster/go-program.ts';

const FLOOR_PROGRAM: GoProgram = {
  name: 'floor',
  what: 'program that only downloads and uploads',
  folder: join(import.meta.dirname, 'floor'),
  costs: { cpuSeconds: 12, serialSeconds: 4, linkSeconds: 0.5, otherPackageSeconds: 0.1, packages: {} },
  coldPackages: [],
};

/** The path of the program, which is built once; undefined, with one line in the log, without Go. */
export async function findFloor(
  log: (line: string) => void,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  try {
    return await ensureProgram(FLOOR_PROGRAM, log, env);
  } catch (error) {
    if (!(error instanceof GoMissingError)) throw error;
    log('Skipping floor: it must be built once, and the go command does not work. Install Go 1.25 or newer');
    return undefined;
  }
}

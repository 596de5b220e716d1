import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { limitFolder } from '#tools/limit-folder.ts';
import type { Log } from '#tools/local-cluster/cluster-types.ts';

/** Node never removes the code of old versions. One version of the tree needs about 60 MiB. */
const LIMIT_MIB = 512;

/**
 * Node's compile cache for the tests and every process that they start. Without it each of our processes
 * takes twice the processor time to start.
 */
export const COMPILE_CACHE = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'zipjobs',
  'compile-cache',
);

/** Empties the compile cache if it uses more than its limit. */
export function limitCompileCache(log: Log): Promise<void> {
  return limitFolder(
    {
      folder: COMPILE_CACHE,
      what: 'compiled modules of earlier tests',
      limitMib: LIMIT_MIB,
      // Processes of another checkout may write files meanwhile.
      clear: () => rm(COMPILE_CACHE, { recursive: true, force: true, maxRetries: 10 }),
    },
    log,
  );
}

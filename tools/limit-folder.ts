import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Log } from './local-cluster/cluster-types.ts';

export interface LimitedFolder {
  readonly folder: string;
  /** Its content, in a line of the log: `layers of earlier builds`. */
  readonly what: string;
  readonly limitMib: number;
  /** Removes the content. */
  readonly clear: () => Promise<unknown>;
}

/** Clears a folder of a cache if it uses more than the limit. */
export async function limitFolder(limited: LimitedFolder, log: Log): Promise<void> {
  const { folder, what, limitMib } = limited;
  const used = existsSync(folder) ? await mibOf(folder) : 0;
  if (used <= limitMib) return;
  log(`Removing the ${what}: they use ${used} MiB, and the limit is ${limitMib} MiB`);
  await limited.clear();
}

async function mibOf(folder: string): Promise<number> {
  // Another process may remove files meanwhile; du then prints the sum and fails.
  const { stdout } = await promisify(execFile)('du', ['-sxm', folder]).catch(
    (error: { readonly stdout: string }) => error,
  );
  return Number.parseInt(stdout, 10);
}

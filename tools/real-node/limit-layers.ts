import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Log } from '../local-cluster/cluster-types.ts';

/** The images of one version need less than 1 GiB. buildah keeps the layers of every build. */
export const LAYERS_LIMIT_MIB = 3072;

export interface Layers {
  readonly folder: string;
  /** Removes all images and their layers. */
  readonly clear: () => Promise<unknown>;
}

/** Clears the layers if they use more than the limit, so that the next build starts from none. */
export async function limitLayers(layers: Layers, limitMib: number, log: Log): Promise<void> {
  const used = await mibOf(layers.folder);
  if (used <= limitMib) return;
  log(`Removing the layers of earlier builds: they use ${used} MiB, and the limit is ${limitMib} MiB`);
  await layers.clear();
}

async function mibOf(folder: string): Promise<number> {
  // Another build may remove files meanwhile; du then prints the sum and fails.
  const { stdout } = await promisify(execFile)('du', ['-sxm', folder]).catch(
    (error: { readonly stdout: string }) => error,
  );
  return Number.parseInt(stdout, 10);
}

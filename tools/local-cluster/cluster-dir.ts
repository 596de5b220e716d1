import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PREFIX = 'zipjobs-cluster-';
const OWNED = /^zipjobs-cluster-(\d+)-/;

/** Folders of the clusters of this process, and the hook that runs before one is removed. */
export const clusterDirs: {
  readonly open: Set<string>;
  /** Must not throw. */
  beforeRemoval?: (dir: string) => Promise<void>;
} = { open: new Set() };

/**
 * Creates the folder of a cluster. The name of a temporary folder contains the process ID, so that the next run can
 * remove what a killed run left behind.
 */
export async function openClusterDir(options: {
  readonly dir?: string;
  readonly keep?: boolean;
}): Promise<AsyncDisposable & { readonly path: string }> {
  await removeAbandoned();
  const path =
    options.dir === undefined
      ? await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
      : resolve(options.dir);
  await Promise.all(['logs', 'pods', 'home'].map((name) => mkdir(join(path, name), { recursive: true })));
  clusterDirs.open.add(path);
  async function remove(): Promise<void> {
    clusterDirs.open.delete(path);
    if (options.keep === true) return;
    await clusterDirs.beforeRemoval?.(path);
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
  return { path, [Symbol.asyncDispose]: remove };
}

async function removeAbandoned(): Promise<void> {
  const names = await readdir(tmpdir());
  const abandoned = names.filter((name) => {
    const pid = OWNED.exec(name)?.[1];
    return pid !== undefined && !isRunning(Number(pid));
  });
  // Another process may remove the same folders at the same time.
  await Promise.allSettled(
    abandoned.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true })),
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const MOUNT = '/sys/fs/cgroup';
const BUSY_LIMIT_MS = 20_000;
const POLL_MS = 100;
const CONTROLLERS = join(MOUNT, 'cgroup.controllers');

/** Creates the parent of all cgroups of a node. Disposing it removes it with everything below. */
export async function createCgroup(name: string): Promise<AsyncDisposable> {
  if (existsSync(CONTROLLERS)) {
    const controllers = (await readFile(CONTROLLERS, 'utf8')).trim().split(' ');
    const enabled = controllers.map((controller) => `+${controller}`).join(' ');
    await writeFile(join(MOUNT, 'cgroup.subtree_control'), enabled);
  }
  for (const path of await pathsOf(name)) await mkdir(path, { recursive: true });
  return { [Symbol.asyncDispose]: () => removeCgroups(name) };
}

/** Removes the cgroup and all below it. Its processes end with their namespaces. */
export async function removeCgroups(name: string): Promise<void> {
  for (const path of await pathsOf(name)) if (existsSync(path)) await removeTree(path);
}

/** One folder with version 2, and one per controller with version 1. */
async function pathsOf(name: string): Promise<string[]> {
  if (existsSync(CONTROLLERS)) return [join(MOUNT, name)];
  return (await foldersIn(MOUNT)).map((hierarchy) => join(hierarchy, name));
}

async function removeTree(path: string): Promise<void> {
  for (const child of await foldersIn(path)) await removeTree(child);
  const deadline = Date.now() + BUSY_LIMIT_MS;
  for (;;) {
    try {
      return await rmdir(path);
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      await delay(POLL_MS);
    }
  }
}

/** Processes that were killed may not have ended yet. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EBUSY';
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(path, entry.name));
}

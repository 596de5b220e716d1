import { access, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The version in use, and the one before it, because another checkout may be using that. */
const KEPT_VERSIONS = 2;

/** Removes the versions of a program that were used longest ago: each has 16 to 140 MB, in a folder of its own. */
export async function removeOldPrograms(path: string): Promise<void> {
  const cache = dirname(dirname(path));
  const versions = (await readdir(cache)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const found = await Promise.all(versions.map((version) => usedAt(join(cache, version), basename(path))));
  const newestFirst = found.flat().sort((left, right) => right.usedMs - left.usedMs);
  for (const { folder } of newestFirst.slice(KEPT_VERSIONS))
    await rm(folder, { recursive: true, force: true });
}

async function usedAt(folder: string, name: string) {
  try {
    await access(join(folder, name));
    return [{ folder, usedMs: (await stat(folder)).mtimeMs }];
  } catch {
    return [];
  }
}

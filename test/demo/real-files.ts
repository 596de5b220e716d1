import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** A file of an installed package and its name in the archive. */
export interface RealFile {
  readonly path: string;
  readonly bytes: number;
  readonly filename: string;
}

/** Folders of the archive, in several scripts and with an emoji: non-ASCII names must survive every step. */
const FOLDERS = [
  'documents',
  'données',
  'документы',
  '資料',
  'ملفات',
  'Ünïcödé & spaces',
  'archive 📦',
] as const;
const LARGE_BYTES = 100 * 1024 * 1024;
const MEDIUM_BYTES = 256 * 1024;
const MEDIUM_COUNT = 20;
const SMALL_COUNT = 400;
/** Prime, so that the small files come from all over the tree. */
const STRIDE = 37;

interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

async function filesBelow(folder: string): Promise<readonly FoundFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(paths.toSorted().map(async (path) => ({ path, bytes: (await lstat(path)).size })));
}

/**
 * Several hundred files of the installed packages, of every size, one of them over 100 MiB. The choice
 * depends only on the installed tree.
 * @throws Error when the folder contains no file over 100 MiB.
 */
export async function chooseRealFiles(folder: string): Promise<readonly RealFile[]> {
  const all = await filesBelow(folder);
  const large = all.find((file) => file.bytes > LARGE_BYTES);
  if (large === undefined) throw new Error(`${folder} contains no file over 100 MiB; run 'npm ci' again`);
  const medium = all
    .filter((file) => file.bytes > MEDIUM_BYTES && file.bytes < LARGE_BYTES / 4)
    .slice(0, MEDIUM_COUNT);
  const small = all
    .filter((file, index) => file.bytes <= MEDIUM_BYTES && index % STRIDE === 0)
    .slice(0, SMALL_COUNT);
  return [...small, large, ...medium].map((file, index) => ({
    ...file,
    filename: `${FOLDERS[index % FOLDERS.length]}/${relative(folder, file.path)}`,
  }));
}

import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { VolumeFiles } from './volume-content.ts';

/**
 * Makes a folder contain exactly these files. Each file is replaced by a rename, so that readers never see partial
 * content. Unchanged files are not touched.
 */
export async function writeVolume(directory: string, files: VolumeFiles): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [path, file] of files) await writeFileAtomically(join(directory, path), file);
  const present = await readdir(directory, { recursive: true, withFileTypes: true });
  const wanted = new Set([...files.keys()].map((path) => join(directory, path)));
  const gone = present.filter((entry) => entry.isFile() && !wanted.has(join(entry.parentPath, entry.name)));
  await Promise.all(gone.map((entry) => rm(join(entry.parentPath, entry.name), { force: true })));
}

async function writeFileAtomically(
  path: string,
  file: { readonly content: Buffer; readonly mode: number },
): Promise<void> {
  const current = await readFile(path).catch(() => undefined);
  if (current?.equals(file.content) === true) return;
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.new`;
  await writeFile(fresh, file.content);
  await chmod(fresh, file.mode);
  await rename(fresh, path);
}

/**
 * Keeps the logs of a cluster after a failed run, and nothing else of its folder, which also contains keys
 * and Secrets.
 */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { redactText } from '#runtime/redact.ts';
import { LIMITS } from './limits.ts';
import { readTail } from './read-logs.ts';

const CHECKOUT = resolve(import.meta.dirname, '../../..');

export interface LogFile {
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number;
}

/** Newest first, the end of logs that are too large, until the space is used up. */
export const chooseLogs = (
  files: readonly LogFile[],
  limits: { readonly bytes: number; readonly fileBytes: number },
): readonly { readonly path: string; readonly bytes: number }[] => {
  let left = limits.bytes;
  return files
    .toSorted((a, b) => b.changedAt - a.changedAt)
    .map(({ path, bytes }) => {
      const kept = Math.min(bytes, limits.fileBytes, left);
      left -= kept;
      return { path, bytes: kept };
    })
    .filter(({ bytes }) => bytes > 0);
};

/** Folder for results: `test-results` of the checkout, or ZIPJOBS_TEST_RESULTS. */
export const resultsFolder = (env: NodeJS.ProcessEnv): string => {
  const named = env['ZIPJOBS_TEST_RESULTS'];
  return named === undefined || named === '' ? join(CHECKOUT, 'test-results') : resolve(named);
};

/**
 * Removes the results of earlier runs except the newest ones. Parallel processes may remove the same folder.
 */
export const removeOldResults = async (folder: string, keep: number): Promise<void> => {
  const names = await readdir(folder).catch(() => []);
  const results = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      return found?.isDirectory() === true ? [{ path, changedAt: found.mtimeMs }] : [];
    }),
  );
  const old = results
    .flat()
    .sort((a, b) => b.changedAt - a.changedAt)
    .slice(keep);
  await Promise.allSettled(old.map(({ path }) => rm(path, { recursive: true, force: true })));
};

/** Regular files directly in a folder, without subfolders, links and mounts of a pod. */
const logsIn = async (folder: string): Promise<readonly LogFile[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const logs = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.log'));
  return Promise.all(
    logs.map(async ({ name }) => {
      const path = join(folder, name);
      const { size, mtimeMs } = await stat(path);
      return { path, bytes: size, changedAt: mtimeMs };
    }),
  );
};

/** A second cluster of a process, and a process that reuses a process ID, get a new folder. */
const makeFolder = async (folder: string, name: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  for (let n = 1; ; n += 1) {
    const path = join(folder, n === 1 ? name : `${name}-${n}`);
    try {
      await mkdir(path);
      return path;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
};

/** Copies the logs of the cluster in `dir` into a new folder and returns a line with its path. */
export const keepLogs = async (dir: string, at: { folder: string; name: string }): Promise<string> => {
  const pods = await readdir(join(dir, 'pods'));
  const folders = [join(dir, 'logs'), ...pods.map((pod) => join(dir, 'pods', pod))];
  const files = (await Promise.all(folders.map(logsIn))).flat();
  const kept = chooseLogs(files, { bytes: LIMITS.keptBytes, fileBytes: LIMITS.keptFileBytes });
  const to = await makeFolder(at.folder, at.name);
  for (const { path, bytes } of kept) {
    const copy = join(to, relative(dir, path));
    await mkdir(dirname(copy), { recursive: true });
    await writeFile(copy, redactText(await readTail(path, bytes)));
  }
  const place = relative(process.cwd(), to);
  return `Logs of the failed run: ${place.startsWith('..') ? to : place} (${kept.length} files)`;
};

/** `integration-4711`, named for the folder of the first test file. */
export const resultName = (file: string | undefined): string => {
  const [top, suite] = relative(CHECKOUT, file ?? '').split('/');
  return `${top === 'test' && suite !== undefined ? suite : 'tests'}-${process.pid}`;
};

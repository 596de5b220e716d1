import { access, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { removeCgroups } from './cgroups.ts';

const OWNED = /^zipjobs-node-(\d+)-/;

/** The folder of one run. */
export interface RunDir extends AsyncDisposable {
  readonly path: string;
  readonly name: string;
  /** For temporary files of the command. */
  readonly temporary: string;
}

/** Creates the folder of a run, and removes what killed runs left behind. Disposing it removes it. */
export async function openRunDir(): Promise<RunDir> {
  await removeAbandoned();
  const path = await mkdtemp(join(tmpdir(), `zipjobs-node-${process.pid}-`));
  const temporary = join(path, 'tmp');
  await mkdir(temporary);
  return {
    path,
    name: basename(path),
    temporary,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = OWNED.exec(name)?.[1];
    if (pid === undefined || (await isRunning(pid))) continue;
    await removeCgroups(name);
    await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: string): Promise<boolean> {
  return access(`/proc/${pid}`).then(
    () => true,
    () => false,
  );
}

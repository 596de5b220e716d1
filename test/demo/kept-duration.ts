import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

function pathOf(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'zipjobs', 'demo-seconds');
}

/** Seconds that the demo took the last time; undefined before the first time. */
export async function readDuration(env: NodeJS.ProcessEnv = process.env): Promise<number | undefined> {
  const seconds = Number(await readFile(pathOf(env), 'utf8').catch(() => undefined));
  return seconds > 0 ? seconds : undefined;
}

export async function keepDuration(seconds: number, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const path = pathOf(env);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${Math.round(seconds)}\n`);
}

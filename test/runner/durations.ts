import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileResult } from './worker-process.ts';

/**
 * Seconds of each test file in the recorded run: only their order matters, which is similar on all machines.
 */
const PATH = join(import.meta.dirname, 'durations.json');

export async function readDurations(): Promise<Readonly<Record<string, number>>> {
  return JSON.parse(await readFile(PATH, 'utf8')) as Record<string, number>;
}

/** Adds the measured seconds to the table and drops files that no longer exist. */
export async function recordDurations(
  results: readonly FileResult[],
  isThere: (file: string) => boolean,
): Promise<void> {
  const measured = results.map(({ file, seconds }) => [file, Number(seconds.toFixed(1))] as const);
  const table = { ...(await readDurations()), ...Object.fromEntries(measured) };
  const rows = Object.entries(table)
    .filter(([file]) => isThere(file))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(PATH, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}

import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { basename, dirname, matchesGlob } from 'node:path';

/** The parts of a `.mocharc.json` that our suites use. */
export interface SuiteConfig {
  readonly spec: readonly string[];
  readonly require?: readonly string[];
  readonly timeout: number;
  readonly slow?: number;
}

function configPath(suite: string): string {
  return `test/${suite}/.mocharc.json`;
}

export async function readSuiteConfig(suite: string): Promise<SuiteConfig> {
  return JSON.parse(await readFile(configPath(suite), 'utf8')) as SuiteConfig;
}

async function hasFullSize(file: string): Promise<boolean> {
  return (await readFile(file, 'utf8')).includes("from '#test/support/sized.ts'");
}

export interface FileChoice {
  /** Only the files with a full size. */
  readonly isFullSize: boolean;
  /** Only these files; all if undefined. */
  readonly only?: readonly string[] | undefined;
}

/** The chosen files of a suite, by name. */
export async function filesOf(
  { spec }: SuiteConfig,
  { isFullSize, only }: FileChoice,
): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const file of glob(spec))
    if ((only?.includes(file) ?? true) && (!isFullSize || (await hasFullSize(file)))) files.push(file);
  return files.sort();
}

/**
 * The suites that contain these files, each once.
 * @throws Error that names a file that is missing, or in no suite
 */
export async function suitesOf(files: readonly string[]): Promise<readonly string[]> {
  const configs: (readonly [string, SuiteConfig])[] = [];
  for await (const path of glob(configPath('*'))) {
    const suite = basename(dirname(path));
    configs.push([suite, await readSuiteConfig(suite)]);
  }
  const suites = files.map((file) => {
    const found = configs.find(([, { spec }]) => spec.some((pattern) => matchesGlob(file, pattern)));
    if (found === undefined || !existsSync(file))
      throw new Error(`${file} is no test file of a suite. See ${configPath('*')}`);
    return found[0];
  });
  return [...new Set(suites)];
}

import { glob, readFile } from 'node:fs/promises';

/** The parts of a `.mocharc.json` that our suites use. */
export interface SuiteConfig {
  readonly spec: readonly string[];
  readonly require?: readonly string[];
  readonly timeout: number;
  readonly slow?: number;
}

const configPath = (suite: string): string => `test/${suite}/.mocharc.json`;

export const readSuiteConfig = async (suite: string): Promise<SuiteConfig> =>
  JSON.parse(await readFile(configPath(suite), 'utf8')) as SuiteConfig;

const hasFullSize = async (file: string): Promise<boolean> =>
  (await readFile(file, 'utf8')).includes("from '#test/support/sized.ts'");

/** The files of a suite, by name; on request only those that have a full size. */
export const filesOf = async ({ spec }: SuiteConfig, isFullSize: boolean): Promise<readonly string[]> => {
  const files: string[] = [];
  for await (const file of glob(spec)) if (!isFullSize || (await hasFullSize(file))) files.push(file);
  return files.sort();
};

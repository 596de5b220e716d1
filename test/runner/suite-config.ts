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

/** The files of a suite, by name. */
export const filesOf = async ({ spec }: SuiteConfig): Promise<readonly string[]> => {
  const files: string[] = [];
  for await (const file of glob(spec)) files.push(file);
  return files.sort();
};

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchCase } from './bench-case.ts';
import { type BenchWorld, BUCKET } from './bench-world.ts';
import type { Program } from './measured-run.ts';

export interface Contender {
  readonly name: 'zipjobs' | 'recipe' | 'rclone';
  /** Command that archives the files below the URL to the key. */
  prepare(input: {
    readonly url: string;
    readonly key: string;
    readonly files: BenchCase['files'];
  }): Promise<Program>;
}

const zipjobs = ({ store, host }: BenchWorld): Contender => ({
  name: 'zipjobs',
  prepare: ({ url, key, files }) =>
    host.prepare({
      ...store,
      bucket: BUCKET,
      key,
      files: files.map(({ path }) => ({ url: `${url}${path}`, filename: path })),
    }),
});

const recipe = ({ store, directory }: BenchWorld): Contender => ({
  name: 'recipe',
  prepare: async ({ url, key, files }) => {
    const list = files.map(({ path }) => ({ url: `${url}${path}`, filename: path }));
    const job = JSON.stringify({ store, bucket: BUCKET, key, files: list });
    const path = join(directory, `${key}.json`);
    await writeFile(path, job);
    return { command: [process.execPath, join(import.meta.dirname, 'recipe-main.ts'), path], env: {} };
  },
});

const rclone = ({ store, directory }: BenchWorld): Contender => ({
  name: 'rclone',
  prepare: async ({ url, key }) => ({
    command: ['rclone', 'archive', 'create', '--format', 'zip', 'source:', `target:${BUCKET}/${key}`],
    env: {
      HOME: directory,
      RCLONE_CONFIG: '/dev/null',
      RCLONE_CONFIG_SOURCE_TYPE: 'http',
      RCLONE_CONFIG_SOURCE_URL: url,
      RCLONE_CONFIG_TARGET_TYPE: 's3',
      RCLONE_CONFIG_TARGET_PROVIDER: 'Other',
      RCLONE_CONFIG_TARGET_ENDPOINT: store.endpoint,
      RCLONE_CONFIG_TARGET_REGION: store.region,
      RCLONE_CONFIG_TARGET_ACCESS_KEY_ID: store.accessKeyId,
      RCLONE_CONFIG_TARGET_SECRET_ACCESS_KEY: store.secretAccessKey,
    },
  }),
});

const hasRclone = async (): Promise<boolean> => {
  try {
    await promisify(execFile)('rclone', ['archive', 'create', '--help']);
    return true;
  } catch {
    return false;
  }
};

/** zipjobs, the usual recipe, and rclone if one is installed that can archive. */
export const findContenders = async (
  world: BenchWorld,
  log: (line: string) => void,
): Promise<readonly Contender[]> => {
  const always = [zipjobs(world), recipe(world)];
  if (await hasRclone()) return [...always, rclone(world)];
  log(
    'Skipping rclone: none on the PATH supports "archive create". Install it with: go install github.com/rclone/rclone@latest',
  );
  return always;
};

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ZIPPER_ENV } from '#crds/zipper-contract.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { JOB_LIMITS } from '#runtime/zip-request/job-limits.ts';
import { partBytes, partSizeFor } from '#runtime/zip-request/part-sizes.ts';
import { ZIPPER_SETTINGS } from '#runtime/zip-request/zipper-settings.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import type { BenchCase } from './bench-case.ts';
import { type BenchWorld, BUCKET } from './bench-world.ts';
import { findFloor } from './floor-program.ts';
import type { Program } from './measured-run.ts';

/** Of the first parts. */
const PART_BYTES = partBytes({ partSizeBytes: partSizeFor(JOB_LIMITS.archiveBytes), equalParts: false }, 1);
/** The zipper's defaults. */
const LIMITS = {
  downloads: ZIPPER_SETTINGS.sourceConcurrency.default,
  bufferBytes: ZIPPER_SETTINGS.sourceBufferBytes.default,
  partBytes: PART_BYTES,
  partsInFlight: ZIPPER_SETTINGS.storeBufferBytes.default / PART_BYTES - 1,
};

export interface Contender {
  readonly name: 'zipjobs' | 'zipjobs-sha256' | 'zipjobs-96-mib' | 'floor' | 'recipe' | 'rclone' | 'node';
  /** Only if it is named. */
  readonly onRequest?: true;
  /** It only shows what a start costs. */
  readonly writesNothing?: true;
  /** Command that archives the files below the URL to the key. */
  prepare(input: {
    readonly url: string;
    readonly key: string;
    readonly files: BenchCase['files'];
  }): Promise<Program>;
}

interface Variant {
  readonly name: Extract<Contender['name'], `zipjobs${string}`>;
  readonly task?: Partial<ArchiveTask>;
  /** Settings by their names for operators. */
  readonly env?: Readonly<Record<string, string>>;
}

const VARIANTS: readonly Variant[] = [
  { name: 'zipjobs' },
  { name: 'zipjobs-sha256', task: { sha256: true, manifestEntry: 'manifest.json' } },
  { name: 'zipjobs-96-mib', env: { [ZIPPER_SETTINGS.storeBufferBytes.env]: String(96 * 1024 * 1024) } },
];

function zipjobs({ plain, store, host }: BenchWorld, { name, task, env }: Variant): Contender {
  return {
    name,
    ...(name !== 'zipjobs' && { onRequest: true }),
    prepare: ({ url, key, files }) =>
      host.prepare({
        ...store,
        bucket: BUCKET,
        key,
        files: files.map(({ path }) => ({ url: `${url}${path}`, filename: path })),
        ...(task && { task }),
        env: { ...env, ...(!plain && { [ZIPPER_ENV.trustBundle]: PRIVATE_TLS.authority }) },
      }),
  };
}

/** Downloads and uploads the same bytes without an archive, with the zipper's limits. */
function floor({ plain, store, directory }: BenchWorld, program: string): Contender {
  return {
    name: 'floor',
    prepare: async ({ url, key, files }) => {
      const urls = files.map(({ path }) => `${url}${path}`);
      const path = join(directory, `${key}.json`);
      await writeFile(path, JSON.stringify({ store, bucket: BUCKET, key, urls, ...LIMITS }));
      const trust = { SSL_CERT_FILE: PRIVATE_TLS.authorityPath, SSL_CERT_DIR: directory };
      return { command: [program, path], env: plain ? {} : trust };
    },
  };
}

function recipe({ plain, store, directory }: BenchWorld): Contender {
  return {
    name: 'recipe',
    prepare: async ({ url, key, files }) => {
      const list = files.map(({ path }) => ({ url: `${url}${path}`, filename: path }));
      const job = JSON.stringify({ store, bucket: BUCKET, key, files: list });
      const path = join(directory, `${key}.json`);
      await writeFile(path, job);
      return {
        command: [process.execPath, join(import.meta.dirname, 'recipe-main.ts'), path],
        env: plain ? {} : { NODE_EXTRA_CA_CERTS: PRIVATE_TLS.authorityPath },
      };
    },
  };
}

function rclone({ plain, store, directory }: BenchWorld): Contender {
  return {
    name: 'rclone',
    prepare: async ({ url, key }) => ({
      command: [
        'rclone',
        'archive',
        'create',
        ...(plain ? [] : ['--ca-cert', PRIVATE_TLS.authorityPath]),
        '--format',
        'zip',
        'source:',
        `target:${BUCKET}/${key}`,
      ],
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
  };
}

/** The least that a program on Node costs. */
export const NODE_START: Contender = {
  name: 'node',
  writesNothing: true,
  prepare: () => Promise.resolve({ command: [process.execPath, '-e', '0'], env: {} }),
};

/** Runs it under Linux's perf, which then is the process whose memory is measured. */
export function profiled(contender: Contender, path: string): Contender {
  return {
    ...contender,
    prepare: async (input) => {
      const { command, env } = await contender.prepare(input);
      return {
        command: ['perf', 'record', '-e', 'cpu-clock', '-F', '1999', '-g', '-o', path, '--', ...command],
        env,
      };
    },
  };
}

async function hasRclone(): Promise<boolean> {
  try {
    await promisify(execFile)('rclone', ['archive', 'create', '--help']);
    return true;
  } catch {
    return false;
  }
}

/** zipjobs, the usual recipe, the floor if it can be built, and rclone if one is installed that can archive. */
export async function findContenders(
  world: BenchWorld,
  log: (line: string) => void,
): Promise<readonly Contender[]> {
  const program = await findFloor(log);
  const own = [
    ...VARIANTS.map((variant) => zipjobs(world, variant)),
    ...(program === undefined ? [] : [floor(world, program)]),
    recipe(world),
  ];
  if (await hasRclone()) return [...own, rclone(world)];
  log(
    'Skipping rclone: none on the PATH supports "archive create". Install it with: go install github.com/rclone/rclone@latest',
  );
  return own;
}

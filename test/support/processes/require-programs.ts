import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBrowser } from '../browser/find-browser.ts';
import { findProgram } from '../find-program.ts';

const run = promisify(execFile);

/** Debian packages of programs and files; every other program is in the package with the same name. */
const PACKAGES: Readonly<Record<string, string>> = {
  '/usr/share/java/commons-compress.jar': 'libcommons-compress-java',
  '7zz': '7zip',
  bsdtar: 'libarchive-tools',
  go: 'golang-go',
  java: 'default-jdk-headless',
  javac: 'default-jdk-headless',
  miniunzip: 'minizip',
  php: 'php-cli',
  promtool: 'prometheus',
  sha256sum: 'coreutils',
};

/**
 * A command that exits with 0 only when a library of the program is installed, and the Debian package of the
 * library.
 */
export interface Probe {
  readonly command: readonly [program: string, ...args: string[]];
  readonly debianPackage: string;
}

async function isThere(need: string): Promise<boolean> {
  return need.startsWith('/') ? existsSync(need) : (await findProgram(need)) !== undefined;
}

function works({ command: [program, ...args] }: Probe): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

/** The tests that a skip here affects: in a `before` hook all tests of its suite. */
function countTests({ test }: Mocha.Context): number {
  return test !== undefined && 'type' in test && test.type === 'hook' ? (test.parent?.total() ?? 0) : 1;
}

/**
 * Skips tests for something that the machine lacks and prints one line with the reason. With `CI=true` it fails
 * instead. The test runner collects these lines (test/runner/skipped-tests.ts).
 */
export function skipTests(context: Mocha.Context, reason: string): void {
  if (process.env['CI'] === 'true') throw new Error(reason);
  const count = countTests(context);
  console.log(`      Skipped ${count} ${count === 1 ? 'test' : 'tests'}: ${reason}`);
  context.skip();
}

function skipWithout(context: Mocha.Context, missing: readonly string[], packages: readonly string[]): void {
  skipTests(
    context,
    `${missing.join(', ')} not found. Install with: apt-get install ${[...new Set(packages)].join(' ')}`,
  );
}

/**
 * Skips the test, or all tests of the suite when called in `before`, if one of these programs or files is
 * missing.
 */
export async function requirePrograms(
  context: Mocha.Context,
  needs: readonly string[],
  probe?: Probe,
): Promise<void> {
  const found = await Promise.all(needs.map(isThere));
  const missing = needs.filter((_, at) => found[at] !== true);
  const packages = missing.map((need) => PACKAGES[need] ?? need);
  const extra = probe === undefined ? [] : [probe.debianPackage];
  if (missing.length > 0) skipWithout(context, missing, [...packages, ...extra]);
  else if (probe !== undefined && !(await works(probe))) skipWithout(context, extra, extra);
}

/** The same when there is no browser for the dashboard. */
export async function requireBrowser(context: Mocha.Context): Promise<void> {
  if ((await findBrowser()) === undefined) skipWithout(context, ['Chromium'], ['chromium']);
}

const POSTGRES = '/usr/lib/postgresql';

async function findPostgres(): Promise<string | undefined> {
  const versions = await readdir(POSTGRES).catch((): string[] => []);
  return versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(POSTGRES, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
}

/** Folder with the programs of the newest PostgreSQL server, which Debian does not put on the PATH. */
export async function postgresFolder(): Promise<string> {
  const folder = await findPostgres();
  if (folder === undefined) throw new Error('PostgreSQL not found. Install with: apt-get install postgresql');
  return folder;
}

/** The same as `requirePrograms`, for PostgreSQL. */
export async function requirePostgres(context: Mocha.Context): Promise<void> {
  if ((await findPostgres()) === undefined) skipWithout(context, ['PostgreSQL'], ['postgresql']);
}

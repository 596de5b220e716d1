/**
 * Tries the mutants of scripts/mutant-list.ts, scripts/zipper-mutants.ts and scripts/outage-mutants.ts: changes one line in a copy of the code, and expects a test to fail.
 * `npm run mutants` tries those of the unit tests, `npm run mutants -- --chaos` those of the chaos runner, and a further
 * WORD only those whose name contains the word.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readSuiteConfig } from '#test/runner/suite-config.ts';
import { CHAOS_MUTANTS, type Change, type ChaosMutant, MUTANTS, type Mutant } from './mutant-list.ts';
import { OUTAGE_MUTANTS } from './outage-mutants.ts';
import { ZIPPER_MUTANTS } from './zipper-mutants.ts';

const unitConfig = await readSuiteConfig('unit');
/** For the tests of one mutant. */
const TIMEOUT_MS = 300_000;
/** For the cluster and one schedule of one mutant, most of whose jobs may never finish. */
const CHAOS_TIMEOUT_MS = 900_000;
const CHAOS_SEED = 1;

const CODE = ['crds', 'runtime', 'administration', 'controller', 'tools', 'test', 'package.json'];
const PROGRAMS = ['api', 'charts', 'cli', 'dashboard', 'zipper-image'];

function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'zipjobs-mutants-'));
  for (const name of [...CODE, ...PROGRAMS]) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Number of failed tests. */
function failuresIn(folder: string, tests: readonly string[]): number {
  const { require = [], timeout } = unitConfig;
  const args = ['--no-config', '--timeout', `${timeout}`, ...require.flatMap((path) => ['--require', path])];
  const { stdout, stderr } = spawnSync(
    join(folder, 'node_modules/.bin/mocha'),
    [...args, '--bail', '--reporter', 'json', ...tests],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: TIMEOUT_MS },
  );
  const report: unknown = stdout.includes('"stats"')
    ? JSON.parse(stdout.slice(stdout.indexOf('{')))
    : undefined;
  if (typeof report !== 'object' || report === null || !('stats' in report))
    throw new Error(`Could not run ${tests.join(' ')}: ${stderr}${stdout}`);
  return Number((report.stats as { failures: number }).failures);
}

/** The rules that one schedule breaks. */
function brokenRules(folder: string): readonly string[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['test/chaos/main.ts', '--seed', String(CHAOS_SEED), '--schedules', '1'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: CHAOS_TIMEOUT_MS },
  );
  if (!/^1 schedules, /m.test(stdout)) throw new Error(`Could not run a schedule: ${stderr}${stdout}`);
  return [...stdout.matchAll(/^ {2}([A-Z]+\d+|[a-z]+) /gm)].map(([, rule = '']) => rule);
}

/** The result of `task` while the copy contains the change. */
function changed<T>(folder: string, { file, find, replace }: Change, task: () => T): T {
  const path = join(folder, file);
  const code = readFileSync(path, 'utf8');
  if (code.split(find).length !== 2) throw new Error(`${file} does not contain this text once: ${find}`);
  try {
    writeFileSync(
      path,
      code.replace(find, () => replace),
    );
    return task();
  } finally {
    writeFileSync(path, code);
  }
}

function report(isKilled: boolean, { name, file }: Change): void {
  process.stdout.write(`${isKilled ? 'killed  ' : 'SURVIVED'}  ${name} (${file})\n`);
  if (!isKilled) process.exitCode = 1;
}

function tryUnitTests(folder: string, mutants: readonly Mutant[]): void {
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
  if (failuresIn(folder, tests) > 0) throw new Error('The tests fail without a mutant. Mend them first');
  for (const mutant of mutants)
    report(
      changed(folder, mutant, () => failuresIn(folder, mutant.tests) > 0),
      mutant,
    );
}

function tryChaos(folder: string, mutants: readonly ChaosMutant[]): void {
  const rules = brokenRules(folder);
  if (rules.length > 0)
    throw new Error(`The schedule breaks ${rules.join(', ')} without a mutant. Mend that first`);
  for (const mutant of mutants)
    report(
      changed(folder, mutant, () => brokenRules(folder).includes(mutant.rule)),
      mutant,
    );
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { chaos: { type: 'boolean', default: false } },
});

function isChosen({ name }: Change): boolean {
  return name.includes(positionals[0] ?? '');
}

const folder = copyTree();
try {
  if (values.chaos) tryChaos(folder, CHAOS_MUTANTS.filter(isChosen));
  else tryUnitTests(folder, [...MUTANTS, ...ZIPPER_MUTANTS, ...OUTAGE_MUTANTS].filter(isChosen));
} finally {
  rmSync(folder, { recursive: true });
}

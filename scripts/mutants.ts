/**
 * Tries the mutants of scripts/mutant-list.ts: changes one line in a copy of the code, and expects one of the named tests to
 * fail. `npm run mutants` tries all, `npm run mutants -- WORD` those whose name contains the word.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MUTANTS, type Mutant } from './mutant-list.ts';

/** For the tests of one mutant. */
const TIMEOUT_MS = 300_000;

const COPIED = ['crds', 'runtime', 'administration', 'controller', 'tools', 'test', 'package.json'];

const copyTree = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'zipjobs-mutants-'));
  for (const name of COPIED) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

/** Number of failed tests. */
const failuresIn = (folder: string, tests: readonly string[]): number => {
  const args = ['--no-config', '--require', 'test/support/unit-hooks.ts', '--timeout', '60000'];
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
};

/** True if a test failed because of the mutant. */
const isKilled = (folder: string, { file, find, replace, tests }: Mutant): boolean => {
  const path = join(folder, file);
  const code = readFileSync(path, 'utf8');
  if (code.split(find).length !== 2) throw new Error(`${file} does not contain this text once: ${find}`);
  try {
    writeFileSync(
      path,
      code.replace(find, () => replace),
    );
    return failuresIn(folder, tests) > 0;
  } finally {
    writeFileSync(path, code);
  }
};

const word = process.argv[2] ?? '';
const chosen = MUTANTS.filter(({ name }) => name.includes(word));
const folder = copyTree();
try {
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
  if (failuresIn(folder, tests) > 0) throw new Error('The tests fail without a mutant. Mend them first');
  for (const mutant of chosen) {
    const killed = isKilled(folder, mutant);
    process.stdout.write(`${killed ? 'killed  ' : 'SURVIVED'}  ${mutant.name} (${mutant.file})\n`);
    if (!killed) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}

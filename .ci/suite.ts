/**
 * Runs the named test suites one after another: `node .ci/suite.ts unit integration`. The last line is the sum over all
 * of them, after a list of what was skipped and why; the exit code is 0 only when every test passed and at least one ran.
 */
import { glob, readFile } from 'node:fs/promises';
import { type CommandOutcome, runCommand } from './run-command.ts';
import { listSkippedTests, type SkippedTests } from './skipped-tests.ts';

/** Suites that mostly wait, each time for a cluster of their own, run their files in so many processes. */
const SIDE_BY_SIDE: Readonly<Record<string, number>> = { integration: 2, chaos: 2 };

/** The files of a suite that each process leaves to the others. */
const filesOfOthers = async (configFile: string, processes: number): Promise<readonly string[][]> => {
  if (processes === 1) return [[]];
  const { spec } = JSON.parse(await readFile(configFile, 'utf8')) as { readonly spec: readonly string[] };
  const files: string[] = [];
  for await (const file of glob(spec)) files.push(file);
  files.sort();
  return Array.from({ length: processes }, (_one, own) =>
    files.filter((_file, index) => index % processes !== own),
  );
};

/** One process shows what it does as it goes, the others when they have ended. */
const runSuite = async (suite: string): Promise<readonly CommandOutcome[]> => {
  const config = `test/${suite}/.mocharc.json`;
  const others = await filesOfOthers(config, SIDE_BY_SIDE[suite] ?? 1);
  return Promise.all(
    others.map((files, index) => {
      const ignored = files.flatMap((file) => ['--ignore', file]);
      return runCommand('mocha', ['--config', config, ...ignored], { isShownAtEnd: index > 0 });
    }),
  );
};

let passed = 0;
let failed = 0;
const skipped: SkippedTests[] = [];
for (const suite of process.argv.slice(2)) {
  console.log(`\n=== ${suite} tests`);
  for (const outcome of await runSuite(suite)) {
    passed += outcome.passed;
    failed += outcome.failed;
    skipped.push(outcome.skipped);
  }
}
if (passed + failed === 0) failed = 1;
console.log(`\n${listSkippedTests(skipped).join('\n')}`.trimEnd());
const skippedCount = skipped.reduce((sum, { count }) => sum + count, 0);
console.log(`${passed} passed, ${failed} failed, ${skippedCount} skipped`);
process.exitCode = failed === 0 ? 0 : 1;

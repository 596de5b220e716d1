/**
 * Runs the named test suites one after another: `node .ci/suite.ts unit integration`. The last line is the sum over all
 * of them; the exit code is 0 only when every test passed and at least one ran.
 */
import { runCommand } from './run-command.ts';

let passed = 0;
let failed = 0;
for (const suite of process.argv.slice(2)) {
  console.log(`\n=== ${suite} tests`);
  const outcome = await runCommand('mocha', ['--config', `test/${suite}/.mocharc.json`]);
  passed += outcome.passed;
  failed += outcome.failed;
}
if (passed + failed === 0) failed = 1;
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** The steps of `.ci/run`, each of which runs even when one before it failed. A step without tests of its own counts as one. */
import { runCommand } from './run-command.ts';

const STEPS = [
  { name: 'check', args: ['run', '-s', 'check'] },
  { name: 'demo', args: ['run', '-s', 'demo'] },
  { name: 'test', args: ['run', '-s', 'test'] },
  { name: 'test:fuzz', args: ['run', '-s', 'test:fuzz'] },
  { name: 'test:chaos', args: ['run', '-s', 'test:chaos'] },
  { name: 'test:long', args: ['run', '-s', 'test:long'] },
] as const;

let passed = 0;
let failed = 0;
for (const { name, args } of STEPS) {
  const started = performance.now();
  console.log(`\n##### npm run ${name}`);
  const outcome = await runCommand('npm', args);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`##### npm run ${name}: exit code ${outcome.exitCode} after ${seconds} s`);
  passed += outcome.exitCode === 0 ? Math.max(outcome.passed, 1) : outcome.passed;
  failed += outcome.failed;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

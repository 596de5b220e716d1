/**
 * The steps of `.ci/run`: `pipeline.ts [STEP ...]`, all by default. Each runs even when one before it failed. A step without tests
 * of its own counts as one.
 */
import { readFileSync } from 'node:fs';
import { runCommand } from './run-command.ts';

/** One after another: two clusters at a time make an API server on two processors too slow for the time limits of the tests. */
const STEPS: readonly string[] = ['check', 'demo', 'test', 'test:node', 'test:long', 'test:fuzz'];

const chosen = process.argv.length > 2 ? process.argv.slice(2) : STEPS;
const unknown = chosen.filter((step) => !STEPS.includes(step));
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(', ')}. The steps are ${STEPS.join(', ')}`);
  process.exit(2);
}

// The npm package `node` can lag behind the image: docs/release.md says why.
const [, ofImages = 'unknown'] =
  /^ARG NODE_IMAGE=node:([\d.]+)/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
console.log(`Node ${process.versions.node} runs the tests, Node ${ofImages} is in the images`);

const rows: string[] = [];
const failures: string[] = [];
let passed = 0;
let failed = 0;
let skipped = 0;

async function runStep(name: string): Promise<void> {
  const started = performance.now();
  console.log(`\n##### npm run ${name}`);
  const outcome = await runCommand('npm', ['run', '-s', name]);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const row = `${name}: exit code ${outcome.exitCode} after ${seconds} s, ${outcome.passed} passed, ${outcome.failed} failed`;
  console.log(`##### npm run ${row}`);
  rows.push(row);
  if (outcome.failures !== '') failures.push(`\n${name} failed:\n${outcome.failures}`);
  passed += outcome.passed;
  failed += outcome.failed;
  skipped += outcome.skipped;
}

for (const step of STEPS.filter((one) => chosen.includes(one))) await runStep(step);

// Again, because a log of an hour is often cut to its end.
for (const text of failures) console.log(text);
console.log(`\n${rows.join('\n')}\n`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 ? 0 : 1;

/**
 * The steps of `.ci/run`: `pipeline.ts [STEP ...]`, all by default. Each runs even when one before it failed. A step without tests
 * of its own counts as one.
 */
import { readFileSync } from 'node:fs';
import { runCommand } from './run-command.ts';

/** The steps of a stage run beside each other. `test:node` mostly waits, and has its own cluster. */
const STAGES = [['check'], ['demo'], ['test', 'test:node'], ['test:long'], ['test:fuzz']] as const;

const known: readonly string[] = STAGES.flat();
const chosen = process.argv.length > 2 ? process.argv.slice(2) : known;
const unknown = chosen.filter((step) => !known.includes(step));
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(', ')}. The steps are ${known.join(', ')}`);
  process.exit(2);
}

// The npm package `node` can lag behind the image: docs/release.md says why.
const [, ofImages = 'unknown'] =
  /^ARG NODE_IMAGE=node:([\d.]+)/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
console.log(`Node ${process.versions.node} runs the tests, Node ${ofImages} is in the images`);

const rows: string[] = [];
let passed = 0;
let failed = 0;
let skipped = 0;

async function runStep(name: string, prefix: string): Promise<void> {
  const started = performance.now();
  console.log(`\n##### npm run ${name}`);
  const outcome = await runCommand('npm', ['run', '-s', name], prefix);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const row = `${name}: exit code ${outcome.exitCode} after ${seconds} s, ${outcome.passed} passed, ${outcome.failed} failed`;
  console.log(`##### npm run ${row}`);
  rows.push(row);
  passed += outcome.passed;
  failed += outcome.failed;
  skipped += outcome.skipped;
}

for (const stage of STAGES) {
  const steps = stage.filter((step) => chosen.includes(step));
  await Promise.all(steps.map((step) => runStep(step, steps.length > 1 ? `${step} | ` : '')));
}

console.log(`\n${rows.join('\n')}\n`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 ? 0 : 1;

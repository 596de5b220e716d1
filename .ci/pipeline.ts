/** The steps of `.ci/run`, each of which runs even when one before it failed. A step without tests of its own counts as one. */
import { readFileSync } from 'node:fs';
import { runCommand } from './run-command.ts';

// The npm package `node` can lag behind the image: docs/release.md says why.
const [, ofImages = 'unknown'] = /^ARG NODE_IMAGE=node:([\d.]+)/m.exec(readFileSync('api/Dockerfile', 'utf8')) ?? [];
console.log(`Node ${process.versions.node} runs the tests, Node ${ofImages} is in the images`);

const STEPS = ['check', 'demo', 'test', 'test:node', 'test:fuzz', 'test:long'] as const;

const rows: string[] = [];
let passed = 0;
let failed = 0;
let skipped = 0;
for (const name of STEPS) {
  const started = performance.now();
  console.log(`\n##### npm run ${name}`);
  const outcome = await runCommand('npm', ['run', '-s', name]);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  rows.push(
    `${name}: exit code ${outcome.exitCode} after ${seconds} s, ${outcome.passed} passed, ${outcome.failed} failed`,
  );
  console.log(`##### npm run ${rows.at(-1)}`);
  passed += outcome.passed;
  failed += outcome.failed;
  skipped += outcome.skipped;
}
console.log(`\n${rows.join('\n')}\n`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 ? 0 : 1;

/**
 * Runs test suites: `node test/runner/main.ts [--slots N] [--slowest N] [--record] [--verbose] [--full-size] SUITE ...`.
 * The last line is the total of all suites. The exit code is 0 only when every test passed and at least one
 * ran. `--full-size` runs only the files that import test/support/sized.ts, at their full sizes.
 * `node test/runner/main.ts [--grep TEXT] FILE ...` runs only these files, and prints their output.
 */
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { limitCompileCache } from './compile-cache.ts';
import { readDurations, recordDurations } from './durations.ts';
import { runSuites } from './run-suites.ts';
import { skippedLines } from './skipped-tests.ts';
import { suitesOf } from './suite-config.ts';
import { countsOf, failureLines, fileLine, slowestTable } from './summary.ts';
import type { FileResult } from './worker-process.ts';

/** These suites measure or cause load: nothing runs in parallel with them. */
const ALONE = new Set(['load', 'fuzz', 'node']);
/** These suites wait most of the time: for timeouts, leases, outages and large files. */
const WAITING = new Set(['chaos', 'long', 'readers']);
/** A process with its cluster. */
const BYTES_PER_SLOT = 2.5 * 2 ** 30;

/** Tests wait often, so there is room for one process more than there are processors, and for two if all suites mostly wait. */
function defaultSlots(suites: readonly string[]): number {
  const extra = suites.every((suite) => WAITING.has(suite)) ? 2 : 1;
  return Math.max(1, Math.min(availableParallelism() + extra, Math.floor(totalmem() / BYTES_PER_SLOT)));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    grep: { type: 'string' },
    slots: { type: 'string' },
    slowest: { type: 'string' },
    record: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    'full-size': { type: 'boolean', default: false },
  },
});
const isFullSize = values['full-size'];
if (isFullSize) process.env['TEST_SIZE'] = 'full';
const files = positionals.filter((name) => name.endsWith('.ts')).map((path) => relative('.', path));
const only = files.length > 0 ? files : undefined;
const suites = only === undefined ? positionals : await suitesOf(files);
/** Of several files it would be mixed. */
const isLive = files.length === 1;
const expectedSeconds = await readDurations();
const results: FileResult[] = [];
const problems: string[] = [];

function print(text: string): void {
  process.stdout.write(text);
}

function onFile(result: FileResult, left: number): void {
  results.push(result);
  const failed = result.tests.some(({ state }) => state === 'failed');
  if (!isLive && (failed || values.verbose || only !== undefined)) print(`\n${result.output.trim()}\n\n`);
  print(`${fileLine(result, left)}\n`);
}

await limitCompileCache((line) => print(`${line}\n`));
const together = suites.filter((suite) => !ALONE.has(suite));
const slots = Number(
  values.slots ?? Math.min(defaultSlots(together), only?.length ?? Number.POSITIVE_INFINITY),
);
const alone = suites.filter((suite) => ALONE.has(suite)).map((suite) => ({ suites: [suite], slots: 1 }));
for (const group of [...(together.length > 0 ? [{ suites: together, slots }] : []), ...alone]) {
  print(`\n=== ${group.suites.join(' and ')} tests, ${group.slots} in parallel\n`);
  const { grep } = values;
  problems.push(
    ...(await runSuites({ ...group, isFullSize, only, grep, isLive, expectedSeconds, print, onFile })),
  );
}

if (values.record) await recordDurations(results, existsSync);
if (values.slowest !== undefined) print(`\n${slowestTable(results, Number(values.slowest))}\n`);
const failures = [...failureLines(results), ...problems.map((problem) => `  ${problem}`)];
if (failures.length > 0) print(`\nFailed:\n${failures.join('\n')}\n`);
const reasons = skippedLines(results);
if (reasons.length > 0) print(`\n${reasons.join('\n')}\n`);
const { passed, failed, skipped } = countsOf(results);
const failedInAll = failed + problems.length + (passed + failed + skipped === 0 ? 1 : 0);
print(`\n${passed} passed, ${failedInAll} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exitCode = failedInAll === 0 ? 0 : 1;

/**
 * Compares docs/regular-expressions.md with the regular expressions of the code, and fails if they differ. With `--write`,
 * measures the expressions that are not in the file yet, and writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpuMs, measureGrowth } from '#test/support/growth.ts';
import { apply, findWorstInputs, inputOf, type WorstInput } from '#test/support/worst-input.ts';
import { type RegularExpression, readRegularExpressions } from './find-regular-expressions.ts';
import { code, tableRows } from './regular-expression-table.ts';

const TARGET = 'docs/regular-expressions.md';
const LENGTH = 16_384;

const HEAD = `# Regular expressions

This table lists every regular expression of the processes, with the slowest input that a search finds among texts made of parts of the expression. A test repeats the search, and fails if the time grows faster than linearly (N3). \`npm run docs\` measures only new expressions.

The times are from one run on one core: the CPU time for ${LENGTH.toLocaleString('en')} characters, and how much longer four times as many take. No factor is given where the time is too short to measure. Linear time has a factor of 4, quadratic time one of 16.

| file | expression | slowest input | milliseconds | factor |
|---|---|---|---|---|`;

function described({ prefix, repeated, end }: WorstInput): string {
  return [prefix, repeated, end]
    .filter((part) => part !== '')
    .map((part) => `${JSON.stringify(part)}${part === repeated ? '…' : ''}`)
    .join(' ');
}

function measured({ source, flags }: RegularExpression): string {
  const expression = new RegExp(source, flags);
  const [input] = findWorstInputs(expression, 1);
  if (input === undefined) throw new Error(`no input for ${source}`);
  const text = inputOf(input, LENGTH);
  const ms = cpuMs(() => apply(expression, text));
  const { ratio } = measureGrowth(
    (one) => apply(expression, one),
    (length) => inputOf(input, length),
  );
  return ` ${code(described(input))} | ${ms.toFixed(3)} | ${ratio === undefined ? '' : ratio.toFixed(1)} |`;
}

const text = readFileSync(TARGET, 'utf8');
const isWriting = process.argv.includes('--write');
const rows = tableRows(text, await readRegularExpressions(), isWriting ? measured : () => '');
const expected = `${[HEAD, ...rows].join('\n')}\n`;

if (isWriting) writeFileSync(TARGET, expected);
else if (text !== expected) {
  console.error(`${TARGET} is out of date. Run: npm run docs`);
  process.exitCode = 1;
}

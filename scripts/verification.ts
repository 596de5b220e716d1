/**
 * Compares docs/verification.md, which lists the tests of each case of docs/cases.md, and fails if it is out of date or
 * if cases and tests do not match. With `--write`, writes the file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { caseTable, type TextFile } from './case-table.ts';

const TARGET = 'docs/verification.md';

async function readAll(pattern: string): Promise<readonly TextFile[]> {
  const paths: string[] = [];
  for await (const path of glob(pattern)) paths.push(path);
  return paths.toSorted().map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

const { lines, problems } = caseTable({
  cases: readFileSync('docs/cases.md', 'utf8'),
  tests: await readAll('test/**/*.ts'),
  records: await readAll('docs/adr/0*.md'),
});

const text = [
  '# Verification',
  '',
  'The cases of [cases.md](cases.md) and the tests and decision records that name them. `npm run docs` generates this file.',
  ...lines,
  '',
].join('\n');

if (process.argv.includes('--write')) writeFileSync(TARGET, text);
else if (readFileSync(TARGET, 'utf8') !== text) problems.push(`${TARGET} is out of date. Run: npm run docs`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

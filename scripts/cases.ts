/**
 * Prints each case of docs/cases.md with the tests and decision records that show it, and fails if a case has none or a test names an
 * unknown one. With `--check`, prints only what is wrong.
 */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { listCases, type TextFile } from './case-list.ts';

async function readAll(pattern: string): Promise<readonly TextFile[]> {
  const paths: string[] = [];
  for await (const path of glob(pattern)) paths.push(path);
  return paths.toSorted().map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

const { lines, problems } = listCases({
  cases: readFileSync('docs/cases.md', 'utf8'),
  tests: await readAll('test/**/*.ts'),
  records: await readAll('docs/adr/0*.md'),
});

if (!process.argv.includes('--check')) console.log(lines.join('\n'));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

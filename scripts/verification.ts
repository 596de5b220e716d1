/**
 * docs/verification.md is the table of the cases that tests prove: every test whose name ends with case IDs in parentheses.
 * `node scripts/verification.ts` fails when the file is not what the test names say; with `--write` it writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';

const TARGET = 'docs/verification.md';
const TEST_NAME = /\bit\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;
const CASE_IDS = /((?: ?\([A-Z]{1,2}\d+(?:, [A-Z]{1,2}\d+)*\))+)$/;
const CASE_ID = /[A-Z]{1,2}\d+/g;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly file: string;
}

const rowsOf = (file: string): readonly Row[] =>
  [...readFileSync(file, 'utf8').matchAll(TEST_NAME)].flatMap(([, , name = '']) => {
    const ids = CASE_IDS.exec(name)?.[0].match(CASE_ID) ?? [];
    return ids.map((id) => ({
      id,
      name: name
        .replace(CASE_IDS, '')
        .trim()
        .replaceAll(/\$\{[^}]*\}/g, '…'),
      file,
    }));
  });

const order = (id: string): string => id.replace(/\d+/, (digits) => digits.padStart(4, '0'));

const files: string[] = [];
for await (const file of glob('test/**/*.ts')) files.push(file);
const rows = files
  .toSorted()
  .flatMap(rowsOf)
  .toSorted((a, b) => order(a.id).localeCompare(order(b.id)) || a.file.localeCompare(b.file));

const text = [
  '# Verification',
  '',
  'Every case with an ID that a test proves, made from the names of the tests by `npm run docs`; do not edit.',
  'H: bars of a release. S: egress. D: download. U: upload. Z: archive format. T: tokens and parsing. W: webhooks.',
  'K, F: Kubernetes facts and faults. P: pods and permissions.',
  '',
  '| case | test | file |',
  '|---|---|---|',
  ...rows.map(({ id, name, file }) => `| ${id} | ${name.replaceAll('|', '\\|')} | ${file} |`),
  '',
].join('\n');

if (process.argv.includes('--write')) writeFileSync(TARGET, text);
else if (readFileSync(TARGET, 'utf8') !== text) {
  console.error(`${TARGET} is not what the test names say: run 'npm run docs'`);
  process.exitCode = 1;
}

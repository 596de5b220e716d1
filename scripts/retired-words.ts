/** Fails when a name or a text uses a word that find-retired-words.ts lists. `npm run check` runs it. */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { findRetiredWords } from './find-retired-words.ts';

const CHECKED = [
  '{administration,api,cli,controller,crds,dashboard,runtime,scripts,tools,zipper-image}/**/*.{ts,js,eta,go,py,sh,yaml,md}',
  'clients/typescript/{README.md,src/*.ts}',
  'charts/**/*.{yaml,tpl,txt,md,json}',
  '{test,.ci}/**/*.ts',
  'docs/**/*.md',
  '*.md',
];
/** Code of others that we changed. */
const NOT_OURS = ['**/_instead/**'];

const seen = new Set<string>();
for await (const path of glob(CHECKED, { exclude: NOT_OURS }))
  for (const { line, word, instead } of findRetiredWords(path, readFileSync(path, 'utf8')))
    seen.add(`${path}:${line}: retired word '${word}'. Write ${instead}.`);

for (const problem of [...seen].toSorted()) console.error(problem);
if (seen.size > 0) process.exitCode = 1;
